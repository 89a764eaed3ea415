"""What Alembic runs: the migrations, on the connection that `database.migrate` hands over, in its transaction.

`versions` holds the history of the schema, one module per step, in the order that `down_revision` gives. Alembic loads
them by path. A step that has been released is never changed.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
