"""Pages rendered from templates: escaped text, words in the reader's language, and data for their scripts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import Request
from jinja2 import Environment, FileSystemLoader
from pydantic_core import to_jsonable_python
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from bidui.files import sha256
from bidui.web.accounts import set_language
from bidui.web.problems import ProblemShape
from bidui.words import Language, texts

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent.parent / "static"
_PART = re.compile(r"part-[0-9A-Z]{8}\.js")  # shared by scripts, and named by its own hash


@dataclass(frozen=True, slots=True)
class Page:
    """What one page shows: its template, its script, the call that is its JSON twin, and its data.

    `data` is the twin's answer, from which the page is written; `page` is what the script gets to know. `words` are
    the beginnings of further keys whose texts it may show.
    """

    name: str
    twin: str = ""
    script: str | None = None
    data: Any = field(default_factory=dict)
    page: Mapping[str, object] = field(default_factory=dict)
    me: object = None
    words: tuple[str, ...] = ()


def load_templates() -> Environment:
    """Load the templates of the pages."""
    templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "sort_keys": True}
    return templates


class _Value(str):
    """A value of a text; `{n:pair|pairs}` gives the singular or the plural, as in the texts of problems."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        singular, bar, plural = form.partition("|")
        return (singular if self == "1" else plural) if bar else super().__format__(form)


def page_text(key: str, language: Language, values: Mapping[str, object]) -> str:
    """Return a text of the pages with its values; an unknown key stands for itself, so that no page breaks over one."""
    text = texts("pages", language).get(key, key)
    try:
        return text.format_map({name: _Value(value) for name, value in values.items()}) if values else text
    except (KeyError, IndexError, ValueError):
        return text


def render(request: Request, page: Page, *, language: Language, status: int = 200) -> HTMLResponse:
    """Return a page as HTML."""
    templates: Environment = request.app.state.templates
    needed = ("js.", "shell.", f"{page.name}.", *page.words)  # the keys of texts that a script may show
    text = templates.get_template(f"{page.name}.html").render(
        t=lambda key, **values: page_text(key, language, values),
        bench=request.app.state.bench,
        page={"project": None, "file": None, "may_edit": False, "lang": language, **page.page},
        data=to_jsonable_python(page.data),
        twin=page.twin,
        nonce=request.state.nonce,
        script=page.script,
        me=to_jsonable_python(page.me),
        lang=language,
        words={key: text for key, text in texts("pages", language).items() if key.startswith(needed)},
        static=static_address,
        path=quote(request.url.path),
    )
    headers = {"Cache-Control": "no-store", "Content-Language": language}
    response = HTMLResponse(text.encode("utf-8", "replace"), status, headers)
    if request.query_params.get("lang") == language:  # chosen by a link, so that it works without scripts
        set_language(response, language, request.app.state.bench.settings)
    return response


def error_page(request: Request, problems: Sequence[ProblemShape], *, status: int, language: Language) -> HTMLResponse:
    """Return a page that lists problems."""
    page = Page("error", data={"status": status, "problems": problems})
    return render(request, page, language=language, status=status)


# Scripts and styles, which a browser may keep for ever: their addresses hold a hash of their content


class HashedFiles(StaticFiles):
    """Static files; those asked for by their hash need not be asked for again."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return the file, with how long it may be kept."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("v")
        path = Path(full_path)
        right = asked == [_hash(path, stat_result.st_mtime_ns)] or _PART.fullmatch(path.name)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if right else "no-cache"
        return response


def static_address(name: str) -> str:
    """Return the address of a file such as `dist/style.css`; one that is not there has no hash."""
    path = STATIC / name
    try:
        return f"/static/{name}?v={_hash(path, path.stat().st_mtime_ns)}"
    except OSError:
        return f"/static/{name}"


@lru_cache(maxsize=256)
def _hash(path: Path, _: int) -> str:
    """Return the hash of a file as it was at that time."""
    return sha256(path.read_bytes())[:16]
