"""Terms: scalars and labelled trees, as text, JSON and XML, and their 128-bit identity."""
