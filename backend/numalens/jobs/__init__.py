"""Reading recordings in processes of their own."""
