"""Authentication: who may sign in, and who vouches for them."""
