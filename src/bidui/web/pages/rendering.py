"""Pages rendered from templates: escaped text, words in the reader's language, and data for their scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bidui.web.identity import set_language
from bidui.web.pages.static_files import static_address
from bidui.web.problems import ProblemShape
from bidui.words import Language, texts

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """What one page shows: its template, the script that brings it to life, its JSON twin, and its data.

    `data` is the twin's answer, from which the page is written; `page` is what the script is told.
    """

    name: str
    twin: str = ""
    script: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)
    page: Mapping[str, object] = field(default_factory=dict)
    me: Mapping[str, object] | None = None


def load_templates() -> Environment:
    """Load the templates of the pages."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "sort_keys": True}
    return templates


def page_text(key: str, language: Language, values: Mapping[str, object]) -> str:
    """Return a text of the pages with its values; an unknown key stands for itself, so that no page breaks over one."""
    text = texts("pages", language).get(key, key)
    try:
        return text.format_map(values) if values else text
    except (KeyError, IndexError, ValueError):
        return text


def script_texts(prefixes: Sequence[str], language: Language) -> dict[str, str]:
    """Return the texts that a script may need: those whose keys start with one of these prefixes and a full stop."""
    starts = tuple(f"{prefix}." for prefix in prefixes)
    return {key: text for key, text in texts("pages", language).items() if key.startswith(starts)}


def render(request: Request, page: Page, *, language: Language, status: int = 200) -> HTMLResponse:
    """A page as HTML."""
    templates: Environment = request.app.state.templates
    text = templates.get_template(f"{page.name}.html").render(
        t=lambda key, **values: page_text(key, language, values),
        bench=request.app.state.bench,
        page={"project": None, "file": None, "may_edit": False, "lang": language, **page.page},
        data=page.data,
        twin=page.twin,
        nonce=request.state.nonce,
        script=page.script,
        me=page.me,
        lang=language,
        words=script_texts(("js", "shell", page.name), language),
        static=static_address,
        path=quote(request.url.path),
    )
    headers = {"Cache-Control": "no-store", "Content-Language": language}
    response = HTMLResponse(text.encode("utf-8", "replace"), status, headers)
    if request.query_params.get("lang") == language:  # chosen by a link, so that it works without scripts
        set_language(response, language, request.app.state.bench.settings)
    return response


def error_page(request: Request, problems: Sequence[ProblemShape], *, status: int, language: Language) -> HTMLResponse:
    """What went wrong, for a person."""
    data = {"status": status, "problems": [problem.model_dump() for problem in problems]}
    return render(request, Page("error", data=data), language=language, status=status)
