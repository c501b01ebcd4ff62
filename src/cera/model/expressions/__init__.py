"""Expressions, conditions and heads as data."""
