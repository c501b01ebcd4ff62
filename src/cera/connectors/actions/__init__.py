"""The actions of rules: write texts, run SQL commands, call programs."""
