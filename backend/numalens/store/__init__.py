"""What the service keeps: rows in SQLite, and files."""
