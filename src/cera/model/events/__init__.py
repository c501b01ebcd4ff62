"""Events: their ids and derivations, their light form inside of engines, and what a set of them looks like."""
