"""The Spark engines: a plan as DataFrames over recorded events, and the local engine inside Spark's state store."""
