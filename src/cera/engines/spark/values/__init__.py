"""Values and expressions of the language as Spark columns."""
