"""The local engine on a stream of sensor readings, beside a hand-written loop and beside reading the JSON alone."""
