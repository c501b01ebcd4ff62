"""An answer from sources to sinks: what the command line, Python and a page share."""
