"""Instantiating hierarchical timed automata: workflows that follow a stream, report its states and verify it."""
