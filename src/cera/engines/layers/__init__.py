"""Programs of several languages: rules and modules in layers, each of which sees what those below derive."""
