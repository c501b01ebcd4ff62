"""How events are divided among operators and buckets: correlation keys, slots, routing. Without Spark."""
