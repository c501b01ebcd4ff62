"""Events as columns of Arrow and their hashes, for engines that take many at a time. Needs pyarrow, not Spark."""
