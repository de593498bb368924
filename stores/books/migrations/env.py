"""Alembic's entry: runs on the connection that the books hand over."""

from alembic import context

from eunoe.stores.books.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=False,
)
context.run_migrations()
