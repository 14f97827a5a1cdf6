"""Alembic's entry: migrations run on the connection that the service hands over.

The service runs them at its start. A released migration never changes: a change of `schema.py` comes with a new one
(`versions/<number>_<what>.py`), and a test compares the two. A database with an unknown revision is refused in one
sentence. The first revision is 1.0's.
"""

from alembic import context

from numalens.store.schema import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
