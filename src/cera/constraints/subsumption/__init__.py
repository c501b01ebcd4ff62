"""Subsumption of conjunctive queries: which follow from others, whatever the stream (seed 002, chapter 9)."""
