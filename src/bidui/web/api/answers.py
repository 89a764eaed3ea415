"""Calls of participants: joining a study, coming back, answering, withdrawing; and trying a study before it opens.

A participant has no account. She joins by the link of the study and from then on is known by a token, which her browser
sends as a bearer: it is in no address, so that no log has it. Answers are acknowledged when they are on the disk, and
what is sent again is counted once. How often all this may be done is limited, by address and by token; addresses are
neither stored nor logged.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from bidui.errors import InputError
from bidui.people.design import SCALE, Layout
from bidui.web.accounts import Bench, Reader, address_of, network
from bidui.web.problems import fails
from bidui.web.store import studies
from bidui.web.store.studies import GivenAnswer, Receipt, Seat, Sheet
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["participants"])
MOST_AT_ONCE = 100  # answers in one request
_LONGEST = 10**10  # milliseconds
_RECEIPT = TypeAdapter(Receipt)
# Within so many minutes; a whole class may have one address.
LIMITS = {"join": (1000, 10), "read": (1000, 1), "answer": (30_000, 1), "own answer": (120, 1), "wrong": (500, 10)}


class JoinStudy(BaseModel):
    """Consent to the texts of this version in this language, what she says about herself, her number in a panel."""

    version: Annotated[str, Field(max_length=20)]
    language: Language
    background: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=20)] = {}
    external: Annotated[str, Field(max_length=100)] = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """The token that is hers from now on, shown this once, and what she is to answer."""

    token: str
    seat: Seat


class AnswerShape(BaseModel):
    """An answer: to which trial, after how long, how long ago, in which layout and language of the page."""

    position: Annotated[int, Field(ge=1, le=1_000_000)]
    answer: Annotated[int, Field(ge=1, le=SCALE)]
    rt_ms: Annotated[int, Field(ge=0, lt=_LONGEST)] | None = None
    ago_ms: Annotated[int, Field(ge=0, lt=_LONGEST)] = 0
    layout: Layout
    language: Language


class AnswersRequest(BaseModel):
    """Some answers of one participant."""

    answers: Annotated[list[AnswerShape], Field(min_length=1, max_length=MOST_AT_ONCE)]


async def bearer(request: Request) -> str:
    """Return the token of a participant; empty where there is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


Token = Annotated[str, Depends(bearer)]
ListNumber = Annotated[int, Query(alias="list", ge=1)]
SlotNumber = Annotated[int, Query(ge=1)]


@router.post("/s/{link}/join", status_code=201, responses=fails(404, 409, 410, 429))
def join_study(link: str, body: JoinStudy, request: Request, bench: Bench) -> Joined:
    """Take part: the slot that is least filled is given out, and its trials are returned in their order."""
    _limit(bench, request, "join")
    background = {key: _clean(text) for key, text in body.background.items() if _clean(text)}
    try:
        token, seat = studies.join(
            bench.store,
            link,
            language=body.language,
            version=body.version,
            background=background,
            external=_clean(body.external) or None,
        )
    except InputError as error:
        raise _counted(bench, request, error) from None
    return Joined(token, seat)


@router.get("/s/seat", responses=fails(409, 410, 429))
def my_seat(token: Token, request: Request, bench: Bench) -> Seat:
    """Come back: one's own trials, and which of them are answered."""
    _limit(bench, request, "read")
    try:
        return studies.seat_of(bench.store, token)
    except InputError as error:
        raise _counted(bench, request, error) from None


@router.post("/s/answers", responses=fails(409, 410, 429))
async def answer(body: AnswersRequest, token: Token, request: Request, bench: Bench) -> Receipt:
    """Answer trials; the answer to this call says that they are stored."""
    _limit(bench, request, "answer")
    bench.rates.check("own answer", token, most=LIMITS["own answer"][0], minutes=LIMITS["own answer"][1])
    sheet = Sheet(token, tuple(map(_given, body.answers)))
    outcome = await bench.answers.put(sheet, partial(studies.save_answers, bench.store))
    if isinstance(outcome, InputError):
        raise _counted(bench, request, outcome)
    return outcome


def _given(shape: AnswerShape) -> GivenAnswer:
    return GivenAnswer(shape.position, shape.answer, shape.rt_ms, shape.ago_ms, shape.layout, shape.language)


class AnswersFirst:
    """A middleware that calls `answer` itself, as the framework would: that takes most of the time of this one call.

    A class of two hundred may answer in the same moment, and each waits until the server is through with all of them.
    """

    def __init__(self, app: ASGIApp, *, bench: Workbench) -> None:
        self.app = app
        self.bench = bench

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/api/s/answers" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            body = AnswersRequest.model_validate_json(await request.body())
        except ValidationError as error:
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from None
        receipt = await answer(body, await bearer(request), request, self.bench)
        data = _RECEIPT.dump_json(receipt)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": data})


@router.post("/s/withdraw", status_code=204, responses=fails(410, 429))
def withdraw(token: Token, request: Request, bench: Bench) -> None:
    """Delete all of one's answers, and what one said about oneself; also after the study was closed."""
    _limit(bench, request, "read")
    try:
        studies.withdraw(bench.store, token)
    except InputError as error:
        raise _counted(bench, request, error) from None


@router.get("/projects/{project}/studies/{number}/try", responses=fails(400, 401, 404))
def try_study(
    access: Reader,
    number: int,
    list_: Annotated[int, Query(alias="list", ge=1)] = 1,
    slot: Annotated[int, Query(ge=1)] = 1,
) -> Seat:
    """Show what a participant on this slot is given; nothing is stored, whatever state the study is in."""
    return studies.trial_seat(studies.study_of(access.entry, number).study, list=list_, slot=slot)


def _limit(bench: Bench, request: Request, what: str) -> None:
    """Refuse an address that does this too often, or that has sent too many wrong links and tokens."""
    address = network(address_of(request))
    bench.rates.check("wrong", address, most=LIMITS["wrong"][0], minutes=LIMITS["wrong"][1], count=0)
    bench.rates.check(what, address, most=LIMITS[what][0], minutes=LIMITS[what][1])


def _counted(bench: Bench, request: Request, error: InputError) -> InputError:
    """Return an error, and count it where somebody may be guessing."""
    if error.problems[0].kind in {"study-link", "participant-unknown"}:
        bench.rates.check("wrong", network(address_of(request)), most=LIMITS["wrong"][0], minutes=LIMITS["wrong"][1])
    return error


def _clean(text: str) -> str:
    """Return a text on one line, without what no database or spreadsheet takes."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())
