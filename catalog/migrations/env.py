"""Alembic's entry: run the migrations on the connection that catalog.migrate hands over."""

from alembic import context

from catalog.tables import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
