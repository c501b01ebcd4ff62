"""The static checks of a rule program; `check` lists them."""
