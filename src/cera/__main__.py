"""`python -m cera` is the command `cera`."""

from cera.cli.main import main

main(prog_name="cera")
