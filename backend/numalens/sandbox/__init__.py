"""Processes that read untrusted files: started, limited and confined.

Every process that reads a user's files goes through this package (`jobs`, `fleet`, `perfetto`). `child.py` starts and
ends it. `limits.py` limits its memory and files and ends it with its parent. `confine.py` leaves it the files that it
needs (ADR 0027). `namespaces.py` hides other processes and the network from it. The work of such a process is unknown
here; only `errors.py` and the compiled module lie below.
"""
