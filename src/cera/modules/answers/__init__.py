"""The answers of every engine over a recorded stream."""
