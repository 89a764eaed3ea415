"""The app: calls, pages and static files of one workbench, behind the guard."""

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from bidui.web.api import answers, editing, files, lexicon, pairs, projects, results, studies, tables, team
from bidui.web.guard import Guard, answer_failures
from bidui.web.pages import routes
from bidui.web.pages.rendering import STATIC, HashedFiles, load_templates
from bidui.web.problems import Json, Problems, fails
from bidui.web.workbench import Workbench


def make_app(bench: Workbench) -> FastAPI:
    """Return the app of a workbench that the caller opens and closes."""
    app = _app()
    app.state.bench = bench
    app.state.templates = load_templates()
    app.mount("/static", HashedFiles(directory=STATIC))
    answer_failures(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6)
    app.add_middleware(answers.AnswersFirst, bench=bench)
    app.add_middleware(Guard, settings=bench.settings)
    return app


def describe() -> dict[str, Any]:
    """Return the OpenAPI description of all calls."""
    return _app().openapi()


def _app() -> FastAPI:
    failures = fails(400, 403, 413, 421, 422, 503)  # the guard, the body, the database
    failures[400]["model"] = Problems
    app = FastAPI(
        title="bidui",
        description="The calls behind the workbench's pages. Positions in texts are UTF-16 offsets; times are UTC.",
        version=version("bidui"),
        openapi_url="/api/openapi.json",
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        default_response_class=Json,
        responses=failures,
    )
    # Routes are tried in this order; answers come first, since two hundred people may send them at once.
    for module in (answers, projects, pairs, files, editing, lexicon, tables, team, studies, results, routes):
        app.include_router(module.router)
    return app
