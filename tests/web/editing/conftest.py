"""The small project, opened once for each module."""

from pathlib import Path

import pytest

from bidui.web.editing.preview import OpenProject
from tests.web.editing.small import open_small


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> OpenProject:
    """The small project."""
    folder: Path = tmp_path_factory.mktemp("project")
    return open_small(folder)
