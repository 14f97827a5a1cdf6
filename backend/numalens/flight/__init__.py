"""Flight recorder: the last seconds stay in memory, and are written when something happens."""
