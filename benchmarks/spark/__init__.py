"""The Spark engines on sensor readings, beside Spark code for the same rules that is written by hand."""
