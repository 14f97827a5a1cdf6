"""`python -m numalens`."""

from numalens.cli.main import main

main()
