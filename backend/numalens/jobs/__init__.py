"""Reading recordings in processes of their own.

`runner.py` decides what is read and when, and what changes at its end. `task.py` leads from stored files to a kept
bundle, in processes of this machine or on the workers of a Dask scheduler. (`cluster.py` is the server's side,
`cluster_task.py` the worker's; they need the extra `cluster`.) `task.py` starts a process and listens; `worker.py` is
the process itself, and `protocol.py` their messages. `reading.py` is the order of the work, from archives and
recordings to one bundle; the command line uses it too. `trace_processor_dump.py` reads Perfetto traces, and
`summaries.py` makes the fleet's summaries. `sandbox` starts, limits and confines processes. The import process
(`worker.py`) must not import web or database libraries.
"""
