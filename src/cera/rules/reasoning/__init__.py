"""The prover: what follows from conditions about time, numbers, kinds and values."""
