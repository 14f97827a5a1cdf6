"""Alembic's entry: migrations run on the connection that the service hands over."""

from alembic import context

from numalens.store.schema import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
