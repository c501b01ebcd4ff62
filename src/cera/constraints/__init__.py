"""Constraints on streams (ESCL, seed 002 chapter 7): the normal form and its meaning."""
