"""Absolute timers and named calendars, and how often a timer may tick."""
