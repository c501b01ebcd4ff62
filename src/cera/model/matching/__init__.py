"""Patterns and how they match terms: Xcerpt's simulation."""
