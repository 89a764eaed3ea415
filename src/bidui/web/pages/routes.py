"""The pages of the workbench: plain forms to sign in and out, and pages written from what their JSON twins answer."""

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from pydantic_core import to_jsonable_python
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from bidui.errors import InputError
from bidui.grammar.names import check_file_name
from bidui.people.study import Study
from bidui.web import accounts
from bidui.web.accounts import Bench, Reader, Someone, Spoken, Who
from bidui.web.api.files import deleted, difference, file_answer, file_history, project_history
from bidui.web.api.pairs import paradigms_of
from bidui.web.api.projects import list_projects, look_into_bin, project
from bidui.web.api.results import (
    Again,
    LinkName,
    OneModel,
    PairNumber,
    SetName,
    Uid,
    pair_results,
    paradigm_results,
    project_results,
    report_file,
    study_models,
)
from bidui.web.api.studies import Threshold, list_studies, study, study_results
from bidui.web.api.tables import list_tables
from bidui.web.api.team import me_of, project_team, workspace_team
from bidui.web.pages.rendering import Page, render
from bidui.web.problems import problem_shapes, status_of
from bidui.web.results import MAIN
from bidui.web.store.accounts import User, check_role, end_session, invitation, may, password_user
from bidui.web.store.disk import current, refresh
from bidui.web.store.overview import coverage
from bidui.web.store.revisions import latest_number
from bidui.web.store.studies import study_by_token, study_of
from bidui.web.store.workspace import entries
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(include_in_schema=False)
Field = Annotated[str, Form(max_length=1000)]
OptionalField = Annotated[str | None, Form(max_length=1000)]


# Coming in and going out; these forms work without scripts


@router.get("/start/{token}")
async def start(token: str, bench: Bench, who: Someone) -> Response:
    """Open a session by the address that was printed, and go to the first page; a second time does no harm."""
    if who is not None:
        return RedirectResponse("/", 303)
    return _entered(bench, await accounts.take_start(bench, token))


@router.get("/login")
def login_page(request: Request, bench: Bench, who: Someone, language: Spoken, then: str = "/") -> Response:
    """Ask for a name and a password."""
    accounts.check_team(bench)
    if who is not None:
        return RedirectResponse(inside(then), 303)
    return render(request, Page("login", page={"then": inside(then)}), language=language)


@router.post("/login")
async def login(
    request: Request, bench: Bench, language: Spoken, name: Field, password: Field, then: str = "/"
) -> Response:
    """Sign in, or say why not."""
    try:
        token = await accounts.sign_in(bench, name, password, address=accounts.address_of(request))
    except InputError as error:
        return _again(request, Page("login", page={"then": inside(then)}), error, language)
    return _entered(bench, token, then=inside(then))


@router.post("/logout")
def logout(request: Request, bench: Bench) -> Response:
    """End the session."""
    if token := accounts.session_token(request, bench.settings):
        end_session(bench.store, token)
    response = RedirectResponse("/", 303)
    accounts.drop_session(response, bench.settings)
    return response


@router.get("/join/{token}")
def join_page(token: str, request: Request, bench: Bench, who: Someone, language: Spoken) -> Response:
    """Show what an invitation offers."""
    accounts.check_team(bench)
    return render(request, _join_page(bench, token, who, language), language=language)


@router.post("/join/{token}")
async def join(
    token: str,
    request: Request,
    bench: Bench,
    who: Someone,
    language: Spoken,
    name: OptionalField = None,
    password: OptionalField = None,
) -> Response:
    """Take an invitation, with a new account or the one that is signed in."""
    try:
        if who is not None:
            await accounts.join_by_invitation(bench, token, who=who)
            return RedirectResponse("/", 303)
        new = await accounts.take_invitation(bench, token, name=name or "", password=password or "")
    except InputError as error:
        page = await run_in_threadpool(_join_page, bench, token, who, language)
        return _again(request, page, error, language)
    return _entered(bench, new)


@router.get("/password/{token}")
def password_page(token: str, request: Request, bench: Bench, language: Spoken) -> Response:
    """Ask for another password, and say whose; whether the link is good turns out when it is used."""
    accounts.check_team(bench)
    return render(request, _password_page(bench, token), language=language)


@router.post("/password/{token}")
async def choose_password(token: str, request: Request, bench: Bench, language: Spoken, password: Field) -> Response:
    """Choose another password."""
    try:
        new = await accounts.take_password(bench, token, password=password)
    except InputError as error:
        return _again(request, await run_in_threadpool(_password_page, bench, token), error, language)
    return _entered(bench, new)


def inside(address: str) -> str:
    """Return a path of this server to go on to; whatever may lead elsewhere becomes the first page.

    Braces are escaped: the page's script fills them in, and `/{x}/elsewhere` would become `//elsewhere`.
    """
    plain = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address.replace("{", "%7B").replace("}", "%7D") if plain else "/"


def _join_page(bench: Workbench, token: str, who: User | None, language: Language) -> Page:
    context = {"token": token, "joins": who is not None}
    me = me_of(bench, who, language) if who else None
    return Page("join", data=asdict(invitation(bench.store, token)), page=context, me=me)


def _password_page(bench: Workbench, token: str) -> Page:
    who = password_user(bench.store, token)
    return Page("password", page={"token": token}, data={"account": who.name if who else ""})


def _entered(bench: Workbench, token: str, *, then: str = "/") -> Response:
    response = RedirectResponse(then, 303)
    accounts.set_session(response, token, bench.settings)
    return response


def _again(request: Request, page: Page, error: InputError, language: Language) -> Response:
    """Show the form again, with what was wrong."""
    data = {**page.data, "problems": problem_shapes(error.problems, language)}
    return render(request, replace(page, data=data), language=language, status=status_of(error.problems))


# The workspace


@router.get("/")
def projects_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """Show the projects; where the workspace is one project, go there."""
    if bench.store.alone and (alone := entries(bench.store)):
        return RedirectResponse(f"/p/{quote(alone[0].name)}", 303)
    page = Page("projects", "/api/projects", None, list_projects(bench, who, language))
    return _shown(request, bench, who, language, page)


@router.get("/bin")
def bin_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """Show the projects that were deleted."""
    page = Page("bin", "/api/bin", None, look_into_bin(bench, who))
    return _shown(request, bench, who, language, page)


@router.get("/team")
def team_page(request: Request, bench: Bench, who: Who, language: Spoken) -> Response:
    """Show who works in the workspace."""
    page = Page("team", "/api/team", None, workspace_team(bench, who))
    return _shown(request, bench, who, language, page)


# A project


@dataclass(frozen=True, slots=True)
class _Visit:
    """Somebody who opens a page of a project, in her language."""

    request: Request
    access: Reader
    language: Spoken

    def show(self, page: Page) -> Response:
        """Return a page, and let its script know what she may do in the project."""
        access = self.access
        context = {"project": access.entry.name, "role": access.role, "may_edit": may(access.role, "editor")}
        return _shown(self.request, access.bench, access.user, self.language, page, **context)

    def twin(self, *parts: str) -> str:
        """Return the address of a call about the project."""
        return "/".join(["/api/projects", quote(self.access.entry.name, safe=""), *(quote(part) for part in parts)])


Visit = Annotated[_Visit, Depends()]


@router.get("/p/{project}")
def project_page(visit: Visit) -> Response:
    """Show what a project holds."""
    return visit.show(Page("project", visit.twin(), "project.js", project(visit.access, visit.language)))


@router.get("/p/{project}/lexicon")
def lexicon_page(visit: Visit) -> Response:
    """Show the grid of the lexicon; its script loads the words, which are many."""
    return visit.show(Page("lexicon", visit.twin("lexicon"), "lexicon.js", page={"kind": "lexicon"}))


@router.get("/p/{project}/phrases")
def phrases_page(visit: Visit) -> Response:
    """Show the phrases; where there is no file of them yet, one can be started."""
    return _file_page(visit, "phrases.yaml", "phrases")


@router.get("/p/{project}/tables")
def tables_page(visit: Visit) -> Response:
    """Show the tables of a project."""
    data = list_tables(visit.access, visit.language)
    return visit.show(Page("tables", visit.twin("tables"), "tables.js", data))


@router.get("/p/{project}/tables/{file:path}")
def table_page(visit: Visit, file: str) -> Response:
    """Show the grid of one table; its script loads the rows."""
    context = {"file": file, "kind": check_file_name(file), "grid": "table"}
    current(visit.access.entry, file)  # one that is not there is said at once
    return visit.show(Page("table", visit.twin("tables", file), "table.js", page=context, words=("lexicon.",)))


@router.get("/p/{project}/pairs")
def pairs_page(visit: Visit) -> Response:
    """Show the pairs of a project; its script asks for them, since they are made when first looked at."""
    query = visit.request.url.query
    twin = visit.twin("pairs", "page") + (f"?{query}" if query else "")
    refresh(visit.access.entry)
    context = {"paradigms": [asdict(each) for each in paradigms_of(visit.access, {})]}  # also where none can be made
    return visit.show(Page("pairs", twin, "pairs.js", page=context, words=("project.",)))


@router.get("/p/{project}/edit/{file:path}")
def edit_page(visit: Visit, file: str) -> Response:
    """Show a paradigm in rows, any other file as a text."""
    return _file_page(visit, file, "paradigm" if check_file_name(file) == "paradigm" else "text")


def _file_page(visit: _Visit, file: str, name: str) -> Response:
    context = {"file": file, "kind": check_file_name(file)}
    return visit.show(Page(name, visit.twin("files", file), f"{name}.js", file_answer(visit.access, file), context))


@router.get("/p/{project}/history")
def project_history_page(visit: Visit, before: int | None = None) -> Response:
    """Show the latest changes of all files of a project."""
    data = project_history(visit.access, before)
    return visit.show(Page("project_history", visit.twin("history"), None, data, {"before": before}))


@router.get("/p/{project}/history/{file:path}")
async def history_page(
    visit: Visit, file: str, before: int | None = None, old: int | None = None, new: int | None = None
) -> Response:
    """Show the revisions of a file, and what differs between two of them."""
    context: dict[str, object] = {"file": file, "kind": check_file_name(file)}
    data = asdict(await run_in_threadpool(file_history, visit.access, file, before))
    data["difference"] = await difference(visit.access, old, new) if old is not None and new is not None else None
    context["revision"] = await run_in_threadpool(latest_number, visit.access.entry, file)
    page = Page("history", visit.twin("history", file), None, data, context)
    return await run_in_threadpool(visit.show, page)


@router.get("/p/{project}/deleted")
def deleted_page(visit: Visit) -> Response:
    """Show the files of a project that were deleted."""
    return visit.show(Page("deleted", visit.twin("deleted"), None, deleted(visit.access)))


@router.get("/p/{project}/team")
def project_team_page(visit: Visit) -> Response:
    """Show who works on a project."""
    return visit.show(Page("team", visit.twin("team"), None, project_team(visit.access)))


# Studies, as their participants see them: without a frame, and without an account


@router.get("/s/{link}")
def answer_page(link: str, request: Request, bench: Bench, language: Spoken) -> Response:
    """Open a study by its link."""
    record = study_by_token(bench.store, link)
    data = _study_page(record.study, language) | {"link": link, "state": record.state}
    return render(request, Page("answer", data=data), language=language)


@router.get("/p/{project}/studies/{number}/try")
def try_page(visit: Visit, number: int) -> Response:
    """Try a study as a participant; nothing is stored."""
    data = _study_page(study_of(visit.access.entry, number).study, visit.language)
    twin = visit.twin("studies", str(number), "try")
    page = Page("answer", twin, data=data | {"link": "", "state": "open", "trial": twin})
    return render(visit.request, page, language=visit.language)


def _study_page(study: Study, language: Language) -> dict[str, object]:
    return {
        "texts": {key: own[language] for key, own in study.texts.items()},
        "version": study.version,
        "background": study.design.background,
        "written": study.design.language,
        "lang": language,
        "trial": "",
    }


# Studies: drafts have a form, all others a page of who is where; both have results once somebody has answered


@router.get("/p/{project}/studies")
def studies_page(visit: Visit) -> Response:
    """Show the studies of a project."""
    return visit.show(Page("studies", visit.twin("studies"), None, list_studies(visit.access, visit.language)))


@router.get("/p/{project}/studies/new")
def new_study_page(visit: Visit, follows: int | None = None) -> Response:
    """Show the form of a new study; its script loads what can be chosen."""
    query = "" if follows is None else f"?follows={follows}"
    return _study_form(visit, query)


@router.get("/p/{project}/studies/{number}/edit")
def draft_study_page(visit: Visit, number: int) -> Response:
    """Show the form of a draft; a study that was opened has none."""
    if study_of(visit.access.entry, number).state != "draft":
        return RedirectResponse(f"/p/{quote(visit.access.entry.name, safe='')}/studies/{number}", 303)
    return _study_form(visit, f"?study={number}")


def _study_form(visit: _Visit, query: str) -> Response:
    check_role(visit.access.bench.store, visit.access.user, "editor", visit.access.entry)
    twin = visit.twin("studies", "form") + query
    return visit.show(Page("new_study", twin, "new_study.js", page={"query": query}))


@router.get("/p/{project}/studies/{number}")
def study_page(visit: Visit, number: int) -> Response:
    """Show one study: the link to send, and who is where."""
    data = study(visit.access, visit.language, number)
    settings = visit.access.bench.settings
    host = visit.request.headers["host"]
    context = {
        "study": number,
        "origin": f"{'https' if settings.secure else 'http'}://{host}",
        "local": not settings.team,
        "sentences": data.design.language,
    }
    return visit.show(Page("study", visit.twin("studies", str(number)), "study.js", data, context))


@router.get("/p/{project}/studies/{number}/results")
async def study_results_page(visit: Visit, number: int, threshold: Threshold = None) -> Response:
    """Show what a study says; before anybody has answered, that there is nothing yet."""
    record = await run_in_threadpool(study_of, visit.access.entry, number)
    context: dict[str, object] = {"study": number, "study_name": record.name, "study_state": record.state}
    context |= {"sentences": record.study.design.language, "axis": 0.5}
    data = None
    try:
        data = await study_results(visit.access, visit.language, number, threshold)
        lows = [figure.wider.low or 0.0 for figure in data.results.paradigms]
        lows += [each.low or 0.0 for model in data.models for each in model.paradigms.values()]
        context["axis"] = min(0.5, *(int(10 * low) / 10 for low in lows)) if lows else 0.5  # where the plot begins
    except InputError as error:
        if error.problems[0].kind != "responses-none":
            raise
    if data:
        models = await run_in_threadpool(study_models, visit.access, visit.language, number)
        context["scoring"] = to_jsonable_python(models)
    page = Page("study_results", visit.twin("studies", str(number), "results"), "results.js", data, context)
    return await run_in_threadpool(visit.show, page)


# Results: what models made of the pairs


@router.get("/p/{project}/results")
async def results_page(visit: Visit, link: LinkName = MAIN, alpha: str = "") -> Response:
    """Show the models that were scored for a project; `alpha` is the number of a linking function that has one."""
    number = alpha.strip() if link in {"slln", "pen_lp"} else ""
    data = await project_results(visit.access, visit.language, f"{link}:{number}" if number else link)
    cells = [each for one in data.sets for line in one.paradigms for each in line.models.values() if each]
    cells += [each for people in data.people for each in people.paradigms.values()]
    lowest = min((each.low if each.low is not None else each.value for each in cells), default=1.0)
    context = {"axis": 0.5 if lowest >= 0.5 else 0.0}  # where the plots begin
    page = Page("results", visit.twin("results"), "results.js", data, context)
    return await run_in_threadpool(visit.show, page)


@router.get("/p/{project}/results/pairs")
def results_pairs_page(
    visit: Visit, set: SetName, uid: Uid, link: LinkName = MAIN, model: OneModel = "", wrong: bool = False
) -> Response:
    """Show the pairs of a paradigm with what each model chose."""
    data = paradigm_results(visit.access, set, uid, link, model, wrong)
    context = {"model": model, "wrong": wrong, **_sentences(visit)}
    return visit.show(Page("results_pairs", visit.twin("results", "pairs"), None, data, context))


@router.get("/p/{project}/results/pair")
def results_pair_page(
    visit: Visit, set: SetName, uid: Uid, number: PairNumber, again: Again = 1, link: LinkName = MAIN
) -> Response:
    """Show the surprisals of a pair's tokens."""
    data = pair_results(visit.access, set, uid, number, again, link)
    return visit.show(Page("results_pair", visit.twin("results", "pair"), None, data, _sentences(visit)))


def _sentences(visit: _Visit) -> dict[str, object]:
    return {"sentences": coverage(visit.access.entry).facts.lang}


@router.get("/p/{project}/report/{lang}/{file:path}")
@router.get("/p/{project}/studies/{number}/report/{lang}/{file:path}")
def report_page(visit: Visit, lang: Literal["en", "zh"], file: str, number: int | None = None) -> Response:
    """Send a file of a report, on all pairs or those of a study; the guard sees to it that none can run a script."""
    path = report_file(visit.access, lang, file, study=number)
    kind = _REPORT_TYPES.get(path.suffix, "application/octet-stream")
    return FileResponse(path, media_type=kind, headers={"Cache-Control": "no-store"})


_REPORT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".csv": "text/csv; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".tex": "text/plain; charset=utf-8",
}


def _shown(
    request: Request, bench: Workbench, who: User, language: Language, page: Page, **context: object
) -> Response:
    """Render a page, and let its script know who is there, in which project, and what she may do."""
    me = me_of(bench, who, language)
    full = {"role": me.role, "name": me.name, "alone": me.alone, **context, **page.page}
    return render(request, replace(page, page=full, me=me), language=language)
