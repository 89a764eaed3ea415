"""A project at a glance, without making pairs and without reading again what has not changed."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bidui.grammar.names import Kind
from bidui.web.store import overview
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store, refresh
from bidui.web.store.files import delete
from bidui.web.store.overview import coverage, file_problems, paradigm_keys, recall, remember
from bidui.web.store.workspace import Store

from .small import PARADIGM, TEXTS, saved, the_entry, write_small


def test_what_a_project_holds(store: Store) -> None:
    home = store.root / "small"
    (home / "paradigms" / "BA").mkdir()
    (home / "paradigms" / "BA" / "one.yaml").write_text("uid: [", "utf-8")  # does not parse
    misplaced = TEXTS[PARADIGM].replace("uid: gender", "uid: two").replace("anaphor", "question")
    (home / "paradigms" / "BA" / "two.yaml").write_text(misplaced, "utf-8")
    excluded = TEXTS[PARADIGM].replace("uid: gender", "uid: out\nstatus: excluded\nreason: odd")
    (home / "paradigms" / "anaphor" / "out.yaml").write_text(excluded, "utf-8")
    twice = TEXTS["lexicon.tsv"] + "她\tPN\tfemale\n"
    (home / "lexicon.tsv").write_text(twice, "utf-8")
    refresh(store)
    found = coverage(the_entry(store))
    assert (found.facts.name, found.facts.title, found.facts.lang) == ("small", "small", "zh")
    assert found.phenomena == {"BA": 1, "anaphor": 1, "question": 1}
    assert [(line.uid, line.phenomenon, line.status, line.errors) for line in found.paradigms] == [
        ("one", "BA", "included", 1),  # called as its file is
        ("gender", "anaphor", "included", 0),
        ("out", "anaphor", "excluded", 0),
        ("two", "question", "included", 1),  # in the wrong folder
    ]
    assert [(line.file, line.kind, line.errors) for line in found.files] == [
        ("lexicon.tsv", "lexicon", 1),  # one word is there twice
        ("project.yaml", "settings", 0),
    ]
    assert (found.facts.words, found.facts.errors) == (4, 3)


def test_a_fault_in_the_settings_is_found_at_its_place() -> None:
    (problem,) = file_problems("project.yaml", "format: 1\nname: x\ncapital: perhaps\n")
    assert (problem.kind, problem.place.file, problem.place.line) == ("value-not-allowed", "project.yaml", 3)
    assert file_problems("project.yaml", TEXTS["project.yaml"]) == []
    assert [problem.kind for problem in file_problems("project.yaml", "[")] == ["yaml-broken"]


@pytest.mark.parametrize(
    ("file", "text", "kind"),
    [
        ("lexicon/a.tsv", "word\n猫\n", "lexicon-no-expression"),
        ("relations/a.tsv", "a\tb\nx\n", "relation-cells"),
        ("phrases.yaml", "phrases:\n  P: [x]\n  P: [y]\n", "key-twice"),
        ("features.tsv", "x\n", "features-header"),
        (PARADIGM, "uid: x\n", "key-missing"),
    ],
)
def test_each_kind_of_file_has_its_own_check(file: str, text: str, kind: str) -> None:
    assert kind in {problem.kind for problem in file_problems(file, text)}


def test_two_files_with_one_paradigm_are_an_error(store: Store) -> None:
    (store.root / "small" / "paradigms" / "anaphor" / "other.yaml").write_text(TEXTS[PARADIGM], "utf-8")
    refresh(store)
    assert coverage(the_entry(store)).facts.errors == 1


def test_the_last_change_may_be_a_deletion(store: Store) -> None:
    entry, who = the_entry(store), local_user(store)
    gone = delete(entry, PARADIGM, base=current(entry, PARADIGM).revision.id, who=who).revision
    found = coverage(entry)
    assert (found.facts.changed, found.facts.author, found.paradigms) == (gone.time, "local", ())


def test_a_content_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 paradigms take seconds to parse; after a change of one, one is parsed."""
    home = write_small(tmp_path / "small")
    for number in range(500):
        text = TEXTS[PARADIGM].replace("uid: gender", f"uid: p{number}")
        (home / "paradigms" / "anaphor" / f"p{number}.yaml").write_text(text, "utf-8")
    parsed: list[str] = []
    parse = overview.parse_paradigm

    def counted(text: str, *, name: str) -> object:
        parsed.append(text)
        return parse(text, name=name)

    monkeypatch.setattr(overview, "parse_paradigm", counted)
    store = open_store(tmp_path)
    assert len(coverage(the_entry(store)).paradigms) == 501
    assert len(parsed) == 501
    assert coverage(the_entry(store)).facts.errors == 0
    assert len(parsed) == 501
    saved(store, TEXTS[PARADIGM] + "# a remark\n", base=current(the_entry(store), PARADIGM).revision.id)
    coverage(the_entry(store))
    assert len(parsed) == 502
    store.close()


def test_counts_are_kept_by_all_that_they_follow_from(store: Store) -> None:
    """A word more changes every count; a remark elsewhere changes none."""
    entry = the_entry(store)
    other = "paradigms/anaphor/other.yaml"
    saved(store, TEXTS[PARADIGM].replace("gender\n", "other\n", 1), base=None, file=other)
    before = paradigm_keys(entry)
    assert {*before} == {PARADIGM, other}
    remember(store, "pairs", {before[PARADIGM]: 2, before[other]: {"value": 10**30, "exact": True}})
    saved(store, "notes\n", base=None, file="card.md")
    assert paradigm_keys(entry) == before
    saved(store, "a: b\n", base=current(entry, other).revision.id, file=other)
    after = paradigm_keys(entry)
    assert (after[PARADIGM] == before[PARADIGM], after[other] == before[other]) == (True, False)
    assert recall(store, "pairs", after.values()) == {before[PARADIGM]: 2}
    lexicon = current(entry, "lexicon.tsv")
    saved(store, lexicon.text + "王五\tNR\tmale\n", base=lexicon.revision.id, file="lexicon.tsv")
    assert recall(store, "pairs", paradigm_keys(entry).values()) == {}
    assert recall(store, "pairs", before.values()) == {
        before[PARADIGM]: 2,
        before[other]: {"value": 10**30, "exact": True},
    }


def test_many_who_open_a_project_at_once_read_it_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that opens a new project together would keep the server busy for a minute."""
    read_contents: list[str] = []
    file_facts = overview.file_facts

    def slow(kind: Kind, data: bytes) -> overview.FileFacts:
        read_contents.append(kind)
        time.sleep(0.05)
        return file_facts(kind, data)

    monkeypatch.setattr(overview, "file_facts", slow)
    entry = the_entry(store)
    with ThreadPoolExecutor(8) as threads:
        shown = list(threads.map(lambda _: coverage(entry).facts.words, range(8)))
    assert set(shown) == {4}
    assert sorted(read_contents) == ["lexicon", "paradigm", "settings"]
