"""The pages of studies: whole, strict and in two languages in every state, with twins, and for those who may."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bidui.people.lists import Item
from bidui.web.store.studies import create_study, keep_scores, set_state
from bidui.web.workbench import Workbench

from ..served import browser_of, member, served
from ..store.small import the_entry
from ..surveys import DESIGN, a_study, answered, opened
from .test_routes import check_page


def says(who: str, item: Item) -> bool:
    return item.uid != "gender" if item.kind == "test" else who != "2"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Study 1 is closed and has a model, 2 follows it with ratings and is open, 3 is a draft, and 4 has no answers."""
    with served(tmp_path_factory.mktemp("studies"), None, team=True) as bench:
        member(bench, "Owner", "owner")
        first = opened(bench)
        answered(bench, first, 6, says)
        keep_scores(first, "a model", {item.id: 0.5 for item in first.study.items})
        set_state(first, "closed")
        both = replace(DESIGN, rating_lists=2)
        second = opened(bench, a_study(both, name="second", follows=first.study), earlier=first.id)
        answered(bench, second, 5, says)
        create_study(the_entry(bench.store), a_study(name="third"))
        opened(bench, a_study(name="fourth"))
        yield bench


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "path", ["", "/1", "/1/results", "/2", "/2/results?threshold=0.6", "/3", "/3/edit", "/new?follows=1"]
)
def test_a_page_of_studies_is_whole_and_strict_and_has_a_twin(bench: Workbench, path: str, lang: str) -> None:
    client = browser_of(bench, member(bench, f"Reader of {path} {lang}", "editor"))
    client.cookies.set("bidui_lang", lang)
    answer = client.get(f"/p/small/studies{path}")
    assert answer.status_code == 200, answer.text
    page = check_page(answer.text, lang=lang)
    twin = next(link["href"] for link in page.all("link") if link.get("rel") == "alternate")
    assert client.get(str(twin)).status_code == 200


def test_the_pages_say_what_was_counted(bench: Workbench) -> None:
    client = browser_of(bench, member(bench, "Counter", "viewer"))
    listed = client.get("/p/small/studies").text
    assert "5 / 12" in listed  # one of six people is left out
    results = client.get("/p/small/studies/1/results").text
    for text in ("0 / 10", "10 / 10", "a model", "50.0%", "catch trials wrong or skipped: 2"):
        assert text in results, text
    assert 'type="checkbox"' not in results and 'id="why"' not in results  # a viewer decides nothing
    assert "Nobody has answered yet." in client.get("/p/small/studies/4/results").text
    assert "/s/" not in client.get("/p/small/studies/2").text


def test_only_those_who_may_design_see_the_form(bench: Workbench) -> None:
    viewer = browser_of(bench, member(bench, "Visitor", "viewer"))
    assert viewer.get("/p/small/studies/new").status_code == 403
    editor = browser_of(bench, member(bench, "Designer", "editor"))
    moved = editor.get("/p/small/studies/1/edit")  # it is closed
    assert (moved.status_code, moved.headers["location"]) == (303, "/p/small/studies/1")
    assert browser_of(bench, member(bench, "Nobody", None)).get("/p/small/studies/1").status_code == 404
