"""Events and relations of the algebra as DataFrames."""
