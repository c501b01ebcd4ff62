"""The experiment that seed 002 announces (section 12.5): the same queries with and without constraints."""
