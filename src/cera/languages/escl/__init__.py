"""ESCL, the event stream constraint language of seed 002, chapter 7."""
