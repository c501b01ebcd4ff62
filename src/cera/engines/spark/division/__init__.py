"""Division of events among operators and buckets: correlation keys, slots, routing. Without Spark."""
