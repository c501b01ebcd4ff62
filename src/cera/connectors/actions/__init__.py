"""What rules do when they detect something: write texts, run SQL commands, call programs."""
