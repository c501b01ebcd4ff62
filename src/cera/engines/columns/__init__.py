"""Rules over recorded events in columns: a plan of the algebra lowered to physical operators, evaluated on arrays."""
