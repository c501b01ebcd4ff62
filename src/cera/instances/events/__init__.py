"""Event types over events: a history for each key, divided into stages of instances."""
