"""Event types over events: a history for each key, cut into stages of instances."""
