"""The schema brought up to date when a store is opened, by migrations that come with bidui."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from bidui.errors import Place, fail
from bidui.web.store.database import writing


def migrate(engine: Engine) -> None:
    """Bring the database up to date; one that a newer bidui has changed is refused and left alone."""
    with writing(engine, alone=True) as connection:  # two servers that start at once must not both migrate
        config = _config(connection)
        script = ScriptDirectory.from_config(config)
        known = {revision.revision for revision in script.walk_revisions()}
        found = MigrationContext.configure(connection).get_current_revision()
        if found is not None and found not in known:
            raise fail("database-newer", Place(), {"found": found, "known": script.get_current_head()})
        if found != script.get_current_head():
            command.upgrade(config, "head")


def _config(connection: Connection) -> Config:
    config = Config()
    # a percent sign in the path would be taken for a variable
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
