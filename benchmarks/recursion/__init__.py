"""A recursion: who reaches whom over links of the last hour, beside loops that are written by hand."""
