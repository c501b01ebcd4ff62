"""Measurements that anyone can run again: `python -m benchmarks`, or one of them by name."""
