"""Data of the service: rows in a database, and files."""
