"""Processes that read untrusted files: started, limited and confined."""
