"""Facts about a rule program: who derives what for whom, dependencies, strata, labels and attributes."""
