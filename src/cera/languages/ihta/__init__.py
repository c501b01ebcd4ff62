"""IHTA as text: workflows as automata whose states are instantiated, as in seed 002, chapter 6."""
