"""Plans of the algebra as DataFrames: matching, joins, windows, timers, heads."""
