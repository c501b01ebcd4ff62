"""Rewritings of rules by what is known of rules and streams (seed 002, chapters 9 and 10)."""
