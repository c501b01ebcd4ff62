"""The Spark session, its memory, its progress and its failures."""
