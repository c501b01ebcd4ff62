"""Where the events of a stream come from: files, standard input, databases, DataFrames."""
