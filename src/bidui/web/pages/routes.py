"""The pages of the workbench; each is written from what its JSON twin answers."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response

from bidui.web.api.coverage import project_answer
from bidui.web.api.files import file_answer
from bidui.web.api.history import deleted, difference, file_history
from bidui.web.api.projects import bin_answer, project_list
from bidui.web.api.signing_in import me_of
from bidui.web.api.team import project_team, workspace_team
from bidui.web.identity import Access, Bench, Spoken, reader, signed_in
from bidui.web.pages.rendering import Page, render
from bidui.web.store import User, entries, may
from bidui.web.store.names import check_file_name
from bidui.web.store.texts import latest_number
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(include_in_schema=False)

Reader = Annotated[Access, Depends(reader)]
Who = Annotated[User, Depends(signed_in)]
Data = dict[str, object]


@router.get("/")
def projects_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """The projects; where the workspace is one, that one."""
    if bench.store.alone and (found := entries(bench.store)):
        return RedirectResponse(f"/p/{quote(found[0].name)}", 303)
    page = Page("projects", "/api/projects", "projects.js", _plain(project_list(bench, who, language)))
    return _of_workspace(request, bench, who, language, page)


@router.get("/bin")
def bin_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """The projects that were deleted."""
    page = Page("bin", "/api/bin", "projects.js", _plain(bin_answer(bench, who)))
    return _of_workspace(request, bench, who, language, page)


@router.get("/team")
def team_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """Who works in the workspace."""
    page = Page("team", "/api/team", "team.js", _plain(workspace_team(bench, who)))
    return _of_workspace(request, bench, who, language, page)


@router.get("/p/{project}")
def project_page(request: Request, access: Reader, language: Spoken) -> Response:
    """What a project holds."""
    page = Page("project", _twin(access), "project.js", _plain(project_answer(access, language)))
    return _of_project(request, access, language, page)


@router.get("/p/{project}/lexicon")
def lexicon_page(request: Request, access: Reader, language: Spoken) -> Response:
    """The grid of the vocabulary, which its script loads: it is large."""
    page = Page("lexicon", _twin(access, "lexicon"), "lexicon.js", page={"kind": "lexicon"})
    return _of_project(request, access, language, page)


@router.get("/p/{project}/phrases")
def phrases_page(request: Request, access: Reader, language: Spoken) -> Response:
    """The phrases; where there is no file of them yet, one can be begun."""
    file = "phrases.yaml"
    data = _plain(file_answer(access, file))
    page = Page("phrases", _twin(access, "files", file), "phrases.js", data, {"file": file, "kind": "phrases"})
    return _of_project(request, access, language, page)


@router.get("/p/{project}/edit/{file:path}")
def edit_page(request: Request, access: Reader, language: Spoken, file: str) -> Response:
    """A paradigm in rows, any other file as a text."""
    kind = check_file_name(file)
    name = "paradigm" if kind == "paradigm" else "text"
    data = _plain(file_answer(access, file))
    page = Page(name, _twin(access, "files", file), f"{name}.js", data, {"file": file, "kind": kind})
    return _of_project(request, access, language, page)


@router.get("/p/{project}/history/{file:path}")
def history_page(
    request: Request,
    access: Reader,
    language: Spoken,
    file: str,
    before: int | None = None,
    old: int | None = None,
    new: int | None = None,
) -> Response:
    """The revisions of a file, and what differs between two of them."""
    kind = check_file_name(file)
    data = _plain(file_history(access, file, before))
    data["difference"] = _plain(difference(access, old, new)) if old is not None and new is not None else None
    known = {"file": file, "kind": kind, "revision": latest_number(access.bench.store, access.entry, file)}
    page = Page("history", _twin(access, "history", file), "history.js", data, known)
    return _of_project(request, access, language, page)


@router.get("/p/{project}/deleted")
def deleted_page(request: Request, access: Reader, language: Spoken) -> Response:
    """The files of a project that were deleted."""
    page = Page("deleted", _twin(access, "deleted"), "history.js", _plain(deleted(access)))
    return _of_project(request, access, language, page)


@router.get("/p/{project}/team")
def project_team_page(request: Request, access: Reader, language: Spoken) -> Response:
    """Who works on a project."""
    page = Page("team", _twin(access, "team"), "team.js", _plain(project_team(access)))
    return _of_project(request, access, language, page)


def _of_project(request: Request, access: Access, language: Language, page: Page) -> Response:
    known = {"project": access.entry.name, "role": access.role, "may_edit": may(access.role, "editor")}
    return _shown(request, access.bench, access.user, language, page, known)


def _of_workspace(request: Request, bench: Workbench, who: User, language: Language, page: Page) -> Response:
    return _shown(request, bench, who, language, page, {})


def _shown(
    request: Request, bench: Workbench, who: User, language: Language, page: Page, known: Mapping[str, object]
) -> Response:
    """A page with what its script is told: who is there, in which project, and what she may do."""
    me = me_of(bench, who, language)
    told = {"role": me.role, "name": me.name, "alone": me.alone, **known, **page.page}
    full = Page(page.name, page.twin, page.script, page.data, told, _plain(me))
    return render(request, full, language=language)


def _plain(model: BaseModel) -> Data:
    """An answer as its JSON is."""
    return model.model_dump(mode="json")


def _twin(access: Access, *parts: str) -> str:
    return "/".join(["/api/projects", quote(access.entry.name, safe=""), *(quote(part) for part in parts)])
