"""The pages of the workbench; each is written from what its JSON twin answers."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from bidui.errors import InputError
from bidui.web.accounts import (
    Access,
    Bench,
    Spoken,
    address_of,
    check_team,
    drop_session,
    join_by_invitation,
    session_token,
    set_session,
    sign_in,
    take_invitation,
    take_password,
    take_start,
)
from bidui.web.api.files import deleted, difference, file_answer, file_history
from bidui.web.api.projects import list_projects, look_into_bin, project
from bidui.web.api.requests import Reader, Someone, Who
from bidui.web.api.team import me_of, project_team, workspace_team
from bidui.web.pages.rendering import Page, render
from bidui.web.problems import problem_shapes, status_of
from bidui.web.store.accounts import User, end_session, invitation, may, password_user
from bidui.web.store.names import check_file_name
from bidui.web.store.revisions import latest_number
from bidui.web.store.workspace import entries
from bidui.web.workbench import Workbench
from bidui.words import Language

# The doors: the pages by which somebody comes in and goes out; they are plain forms, and need no script.

router = APIRouter(include_in_schema=False)

Field = Annotated[str, Form(max_length=1000)]


@router.get("/start/{token}")
def start(token: str, request: Request, bench: Bench, who: Someone) -> Response:
    """Open a session by the address that was printed, and go to the first page; a second time does no harm."""
    if who is not None:
        return RedirectResponse("/", 303)
    return _entered(bench, take_start(bench, token, address=address_of(request)))


@router.get("/login")
def login_page(request: Request, bench: Bench, who: Someone, language: Spoken, then: str = "/") -> Response:
    """Ask for a name and a password."""
    check_team(bench)
    if who is not None:
        return RedirectResponse(inside(then), 303)
    return render(request, Page("login", page={"then": inside(then)}), language=language)


@router.post("/login")
def login(request: Request, bench: Bench, language: Spoken, name: Field, password: Field, then: str = "/") -> Response:
    """Sign in, or say why not."""
    try:
        token = sign_in(bench, name, password, address=address_of(request))
    except InputError as error:
        return _again(request, Page("login", page={"then": inside(then)}), error, language)
    return _entered(bench, token, then=inside(then))


@router.post("/logout")
def logout(request: Request, bench: Bench) -> Response:
    """End the session."""
    if token := session_token(request, bench.settings):
        end_session(bench.store, token)
    response = RedirectResponse("/", 303)
    drop_session(response, bench.settings)
    return response


@router.get("/join/{token}")
def join_page(token: str, request: Request, bench: Bench, who: Someone, language: Spoken) -> Response:
    """Show what an invitation offers."""
    check_team(bench)
    return render(request, _joining(bench, token, who, language), language=language)


@router.post("/join/{token}")
def join(
    token: str,
    request: Request,
    bench: Bench,
    who: Someone,
    language: Spoken,
    name: Annotated[str | None, Form(max_length=1000)] = None,
    password: Annotated[str | None, Form(max_length=1000)] = None,
) -> Response:
    """Take an invitation, with a new account or the one that is signed in."""
    address = address_of(request)
    try:
        if who is not None:
            join_by_invitation(bench, token, who=who, address=address)
            return RedirectResponse("/", 303)
        new = take_invitation(bench, token, name=name or "", password=password or "", address=address)
    except InputError as error:
        return _again(request, _joining(bench, token, who, language), error, language)
    return _entered(bench, new)


@router.get("/password/{token}")
def password_page(token: str, request: Request, bench: Bench, language: Spoken) -> Response:
    """Ask for another password, and say whose; whether the link is good turns out when it is used."""
    check_team(bench)
    return render(request, _password(bench, token), language=language)


@router.post("/password/{token}")
def choose_password(token: str, request: Request, bench: Bench, language: Spoken, password: Field) -> Response:
    """Choose another password."""
    try:
        new = take_password(bench, token, password=password, address=address_of(request))
    except InputError as error:
        return _again(request, _password(bench, token), error, language)
    return _entered(bench, new)


def inside(address: str) -> str:
    """A path of this server to go on to; whatever may lead elsewhere becomes the first page.

    Braces are escaped: the page's script fills them in, and `/{x}/elsewhere` would become `//elsewhere`.
    """
    plain = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address.replace("{", "%7B").replace("}", "%7D") if plain else "/"


def _joining(bench: Workbench, token: str, who: User | None, language: Language) -> Page:
    offer = invitation(bench.store, token)
    data = {"role": offer.role, "project": offer.project, "inviter": offer.by}
    return Page(
        "join",
        page={"token": token, "joins": who is not None},
        data={**data, "expires": offer.expires.isoformat()},
        me=me_of(bench, who, language) if who else None,
    )


def _password(bench: Workbench, token: str) -> Page:
    who = password_user(bench.store, token)
    return Page("password", page={"token": token}, data={"account": who.name if who else ""})


def _entered(bench: Workbench, token: str, *, then: str = "/") -> Response:
    response = RedirectResponse(then, 303)
    set_session(response, token, bench.settings)
    return response


def _again(request: Request, page: Page, error: InputError, language: Language) -> Response:
    """The form again, with what was wrong."""
    data = {**page.data, "problems": problem_shapes(error.problems, language)}
    return render(request, replace(page, data=data), language=language, status=status_of(error.problems))


@router.get("/")
def projects_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """The projects; where the workspace is one, that one."""
    if bench.store.alone and (found := entries(bench.store)):
        return RedirectResponse(f"/p/{quote(found[0].name)}", 303)
    page = Page("projects", "/api/projects", None, list_projects(bench, who, language))
    return _of_workspace(request, bench, who, language, page)


@router.get("/bin")
def bin_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """The projects that were deleted."""
    page = Page("bin", "/api/bin", None, look_into_bin(bench, who))
    return _of_workspace(request, bench, who, language, page)


@router.get("/team")
def team_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """Who works in the workspace."""
    page = Page("team", "/api/team", None, workspace_team(bench, who))
    return _of_workspace(request, bench, who, language, page)


@router.get("/p/{project}")
def project_page(request: Request, access: Reader, language: Spoken) -> Response:
    """What a project holds."""
    page = Page("project", _twin(access), "project.js", project(access, language))
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
    data = file_answer(access, file)
    page = Page("phrases", _twin(access, "files", file), "phrases.js", data, {"file": file, "kind": "phrases"})
    return _of_project(request, access, language, page)


@router.get("/p/{project}/edit/{file:path}")
def edit_page(request: Request, access: Reader, language: Spoken, file: str) -> Response:
    """A paradigm in rows, any other file as a text."""
    kind = check_file_name(file)
    name = "paradigm" if kind == "paradigm" else "text"
    data = file_answer(access, file)
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
    compared = difference(access, old, new) if old is not None and new is not None else None
    data = {**asdict(file_history(access, file, before)), "difference": compared}
    known = {"file": file, "kind": kind, "revision": latest_number(access.bench.store, access.entry, file)}
    page = Page("history", _twin(access, "history", file), None, data, known)
    return _of_project(request, access, language, page)


@router.get("/p/{project}/deleted")
def deleted_page(request: Request, access: Reader, language: Spoken) -> Response:
    """The files of a project that were deleted."""
    page = Page("deleted", _twin(access, "deleted"), None, deleted(access))
    return _of_project(request, access, language, page)


@router.get("/p/{project}/team")
def project_team_page(request: Request, access: Reader, language: Spoken) -> Response:
    """Who works on a project."""
    page = Page("team", _twin(access, "team"), None, project_team(access))
    return _of_project(request, access, language, page)


def _of_project(request: Request, access: Access, language: Language, page: Page) -> Response:
    known = {"project": access.entry.name, "role": access.role, "may_edit": may(access.role, "editor")}
    return _shown(request, access.bench, access.user, language, page, known)


def _of_workspace(request: Request, bench: Workbench, who: User, language: Language, page: Page) -> Response:
    return _shown(request, bench, who, language, page, {})


def _shown(
    request: Request, bench: Workbench, who: User, language: Language, page: Page, known: Mapping[str, object]
) -> Response:
    """Render a page, and let its script know who is there, in which project, and what she may do."""
    me = me_of(bench, who, language)
    context = {"role": me.role, "name": me.name, "alone": me.alone, **known, **page.page}
    return render(request, replace(page, page=context, me=me), language=language)


def _twin(access: Access, *parts: str) -> str:
    return "/".join(["/api/projects", quote(access.entry.name, safe=""), *(quote(part) for part in parts)])
