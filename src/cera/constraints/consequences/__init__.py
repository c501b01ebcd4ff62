"""What follows from constraints: which say nothing, contradict each other, or follow from others."""
