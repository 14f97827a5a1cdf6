"""The `numalens` command."""
