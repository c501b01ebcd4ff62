"""The output of a stream."""
