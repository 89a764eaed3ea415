"""A team: an owner made at the command line, invitations by link, and roles that hold in the page and behind it."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from ..store.small import PARADIGM, TEXTS, write_small
from . import hands
from .conftest import Witness
from .running import Running

PASSWORD = "correct horse battery"


def invitation(owner: Page, role: str) -> str:
    """The address that lets one more person in."""
    form = owner.get_by_role("form", name="Invitations")
    form.get_by_label("Role").select_option(role)
    form.get_by_role("button", name="Create a link").click()
    address = form.get_by_label("Send this address")
    expect(address).not_to_have_value("")
    return address.input_value()


def join(page: Page, address: str, name: str) -> None:
    page.goto(address)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Projects")
    expect(page.locator(".who")).to_have_text(name)


def test_a_team_of_three(
    folder: Path,
    serve: Callable[..., Running],
    someone: Callable[..., Page],
    witness: Witness,
) -> None:
    write_small(folder / "small")
    server = serve("--team", "--owner", "Li")
    owner, editor, viewer = someone(), someone(), someone()
    owner.goto(server.address)
    owner.get_by_role("textbox", name="New password").fill(PASSWORD)
    owner.get_by_role("button", name="Set the password").click()
    expect(owner.locator(".who")).to_have_text("Li")

    owner.goto(f"{server.home}/team")
    join(editor, invitation(owner, "editor"), "Wang")
    owner.reload()
    join(viewer, invitation(owner, "viewer"), "Zhao")

    hands.open_paradigm(editor, server, PARADIGM)
    editor.get_by_label("Source", exact=True).fill("Wang wrote this")
    hands.saved(editor, server, PARADIGM, "Wang wrote this")

    looks_only(viewer, server, witness)
    owner.goto(f"{server.home}/p/small/history/{PARADIGM}")
    expect(owner.get_by_role("row").filter(has_text="latest")).to_contain_text("Wang")


def looks_only(viewer: Page, server: Running, witness: Witness) -> None:
    """A viewer sees everything, and finds nothing to change it with; asking behind the page is refused, too."""
    viewer.goto(f"{server.home}/p/small")
    expect(viewer.get_by_role("link", name="Get pairs")).to_be_visible()
    expect(viewer.get_by_role("button", name="New paradigm")).to_have_count(0)
    expect(viewer.get_by_role("button", name="More for gender")).to_have_count(0)
    hands.open_paradigm(viewer, server, PARADIGM)
    expect(viewer.get_by_text("not change it")).to_be_visible()
    for name in ("Add slot", "Rename…", "Add wording"):
        expect(viewer.get_by_role("button", name=name)).to_have_count(0)
    hands.rule(viewer, "who").click()
    viewer.keyboard.type("x")
    expect(hands.rule(viewer, "who")).to_have_text("pos:NR")
    hands.open_lexicon(viewer, server)
    expect(viewer.get_by_role("button", name="Add row")).to_have_count(0)

    witness.forgive("status of 403")
    before = server.read(PARADIGM)
    body = {"text": TEXTS[PARADIGM], "base": 1, "tab": ""}
    for method, address, asked in [
        ("PUT", f"/api/projects/small/files/{PARADIGM}", body),
        ("DELETE", f"/api/projects/small/files/{PARADIGM}?base=1", None),
        ("POST", "/api/projects/small/paradigms", {"uid": "mine", "phenomenon": "x"}),
        ("DELETE", "/api/projects/small", None),
        ("POST", "/api/projects", {"name": "mine", "lang": "zh"}),
        ("POST", "/api/team/invitations", {"role": "owner"}),
    ]:
        assert hands.ask(viewer, method, address, asked)[0] == 403, (method, address)
    assert server.read(PARADIGM) == before


def test_nobody_comes_in_without_signing_in(
    folder: Path, serve: Callable[..., Running], someone: Callable[..., Page], witness: Witness
) -> None:
    write_small(folder / "small")
    server = serve("--team", "--owner", "Li")
    page = someone()
    page.goto(f"{server.home}/p/small")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    witness.forgive("status of 401")
    page.get_by_label("User name", exact=True).fill("Li")
    page.get_by_label("Password", exact=True).fill("a guess that is wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert hands.ask(page, "GET", "/api/projects")[0] == 401
