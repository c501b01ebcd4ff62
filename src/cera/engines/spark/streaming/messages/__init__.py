"""The messages between the stages of a stream, packed."""
