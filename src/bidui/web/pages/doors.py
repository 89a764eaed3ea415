"""The doors: the pages by which somebody comes in and goes out; they are plain forms, and need no script."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from bidui.errors import InputError
from bidui.web.api.signing_in import me_of
from bidui.web.identity import Bench, Spoken, drop_session, session_token, set_session, someone
from bidui.web.pages.rendering import Page, render
from bidui.web.problems import problem_shapes, status_of
from bidui.web.signing_in import (
    address_of,
    check_team,
    join_by_invitation,
    sign_in,
    take_invitation,
    take_password,
    take_start,
)
from bidui.web.store import User, end_session, invitation, password_user
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(include_in_schema=False)

Field = Annotated[str, Form(max_length=1000)]
Someone = Annotated[User | None, Depends(someone)]


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
    return render(request, Page("login", page={"then": inside(then)}, data={"problems": []}), language=language)


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
    data = {"role": offer.role, "project": offer.project, "inviter": offer.inviter}
    return Page(
        "join",
        page={"token": token, "joins": who is not None},
        data={**data, "expires": offer.expires.isoformat(), "problems": []},
        me=me_of(bench, who, language).model_dump() if who else None,
    )


def _password(bench: Workbench, token: str) -> Page:
    who = password_user(bench.store, token)
    return Page("password", page={"token": token}, data={"account": who.name if who else "", "problems": []})


def _entered(bench: Workbench, token: str, *, then: str = "/") -> Response:
    response = RedirectResponse(then, 303)
    set_session(response, token, bench.settings)
    return response


def _again(request: Request, page: Page, error: InputError, language: Language) -> Response:
    """The form again, with what was wrong."""
    problems = [shape.model_dump() for shape in problem_shapes(error.problems, language)]
    again = Page(page.name, page=page.page, me=page.me, data={**page.data, "problems": problems})
    return render(request, again, language=language, status=status_of(error.problems))
