"""What flows between the stages of a stream, packed."""
