"""The HTTP face of the service.

Shapes are in `models.py`, or with the routes of their subject; the comparison's are the report's, those of sections
and of the report are the engine's own (`section_schemas.py`). Routes are one file per subject. `access.py` has the
permissions, `sign_in.py` signs in and out, and `guards.py`, `slow_client.py` and `limits.py` surround every request.
Routes check, call a store, a job or the engine, and present the answer; they keep nothing themselves.

`python -m numalens.api.openapi` prints the description from which the page's types are generated. `health.py` says
whether the server works, and what `metrics.py` counts; `guards.py` counts and logs every request by its route.
`parts.py` loads what an installation can lack: `fleet.py`, `sql.py`, `perfetto_ui.py`, `mcp.py`, each a `Part` with
its state.

`perfetto_ui.py` serves Perfetto's own page from the package numalens-trace-processor, with a content security policy
instead of ours: a route may have headers of its own, and all others get those of `guards.py`.
"""
