"""Explanations of a program, as text and JSON: rules, modules, plans."""
