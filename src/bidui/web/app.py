"""The app: calls, pages and static files of one workbench, behind the guard."""

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from bidui.web.answers import Json
from bidui.web.api import (
    coverage,
    drafts,
    editing,
    files,
    history,
    lexicon,
    phrase_renaming,
    projects,
    signing_in,
    tables,
    team,
    transfers,
)
from bidui.web.failures import answer_failures
from bidui.web.pages import doors, routes
from bidui.web.pages.rendering import load_templates
from bidui.web.pages.static_files import STATIC, Built
from bidui.web.problems import fails
from bidui.web.security import Guard
from bidui.web.workbench import Workbench

CALLS = (
    *(projects, transfers, coverage, files, drafts, history),
    *(editing, lexicon, phrase_renaming, tables, signing_in, team),
)
PAGES = (doors, routes)


def make_app(bench: Workbench) -> FastAPI:
    """Return the app of a workbench that the caller opens and closes."""
    app = _app()
    app.state.bench = bench
    app.state.templates = load_templates()
    app.mount("/static", Built(directory=STATIC))
    answer_failures(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6)
    app.add_middleware(Guard, settings=bench.settings)
    return app


def describe() -> dict[str, Any]:
    """Return the OpenAPI description of all calls."""
    return _app().openapi()


def _app() -> FastAPI:
    app = FastAPI(
        title="bidui",
        description="The calls behind the workbench's pages. Positions in texts are UTF-16 offsets; times are UTC.",
        version=version("bidui"),
        openapi_url="/api/openapi.json",
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        default_response_class=Json,
        responses=fails(400, 403, 413, 421, 422, 503),  # the guard, the body, the database
    )
    for module in (*CALLS, *PAGES):
        app.include_router(module.router)
    return app
