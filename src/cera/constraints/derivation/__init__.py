"""Constraints that follow from automata and from rules (seed 002, chapter 12)."""
