"""The static checks of a rule program, a file each; `check` lists them."""
