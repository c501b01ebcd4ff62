"""Modules over recorded events: sorted histories that Python workers go through."""
