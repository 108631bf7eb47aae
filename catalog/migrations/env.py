"""Alembic's entry: run the migrations on the connection that catalog.migrate hands over."""

from alembic import context

from catalog.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
