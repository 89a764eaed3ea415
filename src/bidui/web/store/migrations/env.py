"""What Alembic runs: the migrations, on the connection that `database.migrate` hands over, in its transaction.

`versions` holds the history of the schema, one module per step, in the order that `down_revision` gives. Alembic loads
them by path. A step that has been released is never changed. Steps name keys and constraints as the tables do.
"""

import sqlalchemy as sa
from alembic import context

from bidui.web.store.database import metadata

names = sa.MetaData(naming_convention=metadata.naming_convention)
context.configure(connection=context.config.attributes["connection"], target_metadata=names)
context.run_migrations()
