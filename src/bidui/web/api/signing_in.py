"""Calls about whoever asks: who she is, her language, and her coming and going."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field

from bidui.errors import Place, fail
from bidui.web.identity import Bench, Spoken, drop_session, session_token, set_language, set_session, signed_in, someone
from bidui.web.problems import fails
from bidui.web.signing_in import address_of, join_by_invitation, sign_in, take_invitation, take_password
from bidui.web.store import Role, User, end_session, role_of
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["signing in"])

Text = Annotated[str, Field(max_length=1000)]


class Me(BaseModel):
    """Who is signed in, with her role in the whole workspace; `alone` where that is one project."""

    name: str
    mode: Literal["laptop", "team"]
    role: Role | None
    lang: Language
    alone: bool


class LanguageChoice(BaseModel):
    """The language of the pages."""

    lang: Language


class Login(BaseModel):
    """A name and its password."""

    name: Text
    password: Text


class Joining(BaseModel):
    """An invitation's token, with a name and a password; without them, for the account that is signed in."""

    token: Text
    name: Text | None = None
    password: Text | None = None


class NewPassword(BaseModel):
    """The token of a password link, and the password that is chosen."""

    token: Text
    password: Text


def me_of(bench: Workbench, who: User, language: Language) -> Me:
    """Who is signed in, for a page or a call."""
    mode: Literal["laptop", "team"] = "team" if bench.settings.team else "laptop"
    return Me(name=who.name, mode=mode, role=role_of(bench.store, who), lang=language, alone=bench.store.alone)


@router.get("/me", responses=fails(401))
def me(bench: Bench, who: Annotated[User, Depends(signed_in)], language: Spoken) -> Me:
    """Who is signed in."""
    return me_of(bench, who, language)


@router.post("/language", status_code=204, responses=fails(403))
def choose_language(choice: LanguageChoice, bench: Bench, response: Response) -> None:
    """Remember a language in a cookie."""
    set_language(response, choice.lang, bench.settings)


@router.post("/login", status_code=204, responses=fails(400, 401, 403, 429))
def login(given: Login, request: Request, bench: Bench, response: Response) -> None:
    """Sign in by name and password."""
    token = sign_in(bench, given.name, given.password, address=address_of(request))
    set_session(response, token, bench.settings)


@router.post("/logout", status_code=204, responses=fails(403))
def logout(request: Request, bench: Bench, response: Response) -> None:
    """End the session."""
    if token := session_token(request, bench.settings):
        end_session(bench.store, token)
    drop_session(response, bench.settings)


@router.post("/join", status_code=204, responses=fails(400, 401, 403, 409, 410, 429))
def join(
    given: Joining, request: Request, bench: Bench, response: Response, who: Annotated[User | None, Depends(someone)]
) -> None:
    """Take an invitation, with a new account or the one that is signed in."""
    address = address_of(request)
    if given.name is not None and given.password is not None:
        token = take_invitation(bench, given.token, name=given.name, password=given.password, address=address)
        set_session(response, token, bench.settings)
    elif who is None:
        raise fail("not-signed-in", Place())
    else:
        join_by_invitation(bench, given.token, who=who, address=address)


@router.post("/password", status_code=204, responses=fails(400, 403, 410, 429))
def choose_password(given: NewPassword, request: Request, bench: Bench, response: Response) -> None:
    """Choose another password by a link; it signs in, and ends all other sessions."""
    token = take_password(bench, given.token, password=given.password, address=address_of(request))
    set_session(response, token, bench.settings)
