"""Datalog_1S (seed 003): rules whose predicates have at most one argument that counts stages."""
