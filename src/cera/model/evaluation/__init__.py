"""The meaning W of expressions: the evaluator, the built-in functions, the aggregates."""
