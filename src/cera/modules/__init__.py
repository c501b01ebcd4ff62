"""Modules: what runs, whatever its language. Their processors, the loop that drives them, the layers of a program."""
