"""Rewriting plans: each pass keeps the answers and makes them cheaper."""
