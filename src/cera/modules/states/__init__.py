"""States that rules derive: composed of supports, one for each derivation of a state."""
