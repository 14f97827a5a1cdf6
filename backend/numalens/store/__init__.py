"""What the service keeps: rows in SQLite, files beside it."""
