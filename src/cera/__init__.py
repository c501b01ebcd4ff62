"""cera: complex event processing for Apache Spark."""
