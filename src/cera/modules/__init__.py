"""Modules, which run programs of any language: their processors, the loop that drives them, layers of modules."""
