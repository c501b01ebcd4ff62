"""Constraints: real logs that are verified, beside the same by hand; what constraints cost."""
