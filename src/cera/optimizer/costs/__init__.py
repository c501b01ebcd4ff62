"""Rates of events, and the shares of them that have what is asked: what costs are estimated from."""
