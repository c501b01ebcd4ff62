"""Complex event types over whole histories, by their definitions: slow on purpose, and what the engines are held to."""
