"""Patterns of terms as text: their grammar, transformer and printer, for every language that has them."""
