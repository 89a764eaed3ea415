"""Settings of the whole suite, and `--quick`: only the fast tests, without torch, browser and database."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# Tests never assert times, and a slow machine is not a fault of the code.
settings.register_profile("bidui", deadline=None)
settings.load_profile("bidui")

HEAVY = {"torch": "torch", "transformers": "torch", "playwright": "a browser", "psycopg": "PostgreSQL"}
WEB = Path(__file__).parent / "web"  # all of it works on a database, in a browser or behind it, but for its editing


class SkipHeavyImports(MetaPathFinder, Loader):
    """Skips the test, or the module of tests, that imports a heavy package: nobody has to keep a list of them.

    The package is found and only then refused, since polars looks whether torch is there without importing it.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in HEAVY else None

    def exec_module(self, module: ModuleType) -> None:
        frame = sys._getframe()
        while back := frame.f_back:  # modules that are left half imported must not be found by the next one
            frame = back
            name = str(frame.f_globals.get("__name__"))
            if frame.f_code.co_name == "<module>" and name.startswith(("tests.", "bidui.")):
                sys.modules.pop(name, None)
        pytest.skip(f"needs {HEAVY[module.__name__]}, which --quick leaves out", allow_module_level=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="Run only fast tests, without torch, browser and database.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than two seconds of CPU time; skipped by --quick")
    if config.getoption("--quick"):
        sys.meta_path.insert(0, SkipHeavyImports())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = collection_path.parent == WEB and collection_path.name not in ("conftest.py", "editing", "__init__.py")
    return True if config.getoption("--quick") and left_out else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.config.getoption("--quick") and item.get_closest_marker("slow"):
        pytest.skip("slow, which --quick leaves out")
