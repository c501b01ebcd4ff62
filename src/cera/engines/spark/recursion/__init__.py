"""Recursive rules over recorded events: by key, in rounds over the delta, or in one piece."""
