"""EPL over changes of a database, beside state machines written by hand for the same patterns."""
