"""Spark Structured Streaming: the local engine inside Spark's state store, divided by correlation keys."""
