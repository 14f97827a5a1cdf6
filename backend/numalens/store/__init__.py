"""Data of the service: rows in SQLite, and files."""
