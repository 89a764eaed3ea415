"""What Alembic runs: the migrations, on the connection that `schema.migrate` hands over, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
