"""The local engine inside Spark's state store."""
