"""Cardinalities of what rules derive: how they combine, how they change windows, and how rules propagate them."""
