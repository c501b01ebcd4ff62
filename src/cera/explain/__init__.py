"""What a program becomes, as text and JSON: rules, modules, plans."""
