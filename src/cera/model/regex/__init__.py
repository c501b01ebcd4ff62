"""Regular expressions on labels and strings: the notation that means the same in Python, in Java and in RE2."""
