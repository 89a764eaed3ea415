"""Projects come in whole or not at all, go out as they are, and come back from the bin."""

import json
import shutil
from pathlib import Path

import pytest

from bidui.benchmarks import shipped
from bidui.errors import InputError
from bidui.grammar.archives import Bundle, read_zip
from bidui.grammar.generate import enumerate_all
from bidui.grammar.project import load_project, starter_texts
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current, open_store, refresh
from bidui.web.store.projects import (
    binned,
    bring_back,
    copy_benchmark,
    delete_project,
    export_project,
    import_project,
    new_project,
)
from bidui.web.store.revisions import history
from bidui.web.store.workspace import Store, entries

from .small import PARADIGM, TEXTS, saved, the_entry, write_small

CLASSIC = {
    "templates/anaphor_1.json": json.dumps(
        {
            "uid": "anaphor_1",
            "phenomenon": "anaphor",
            "good_rule": ["pos:NR", "phrase:Likes", "pos:PN mPos:0 mPro:gender", "自己"],
            "bad_rule": ["pos:NR", "phrase:Likes", "pos:PN mmPos:0 mmPro:gender", "自己"],
            "strict_MP": False,
            "sep": "",
        }
    ).encode(),
    "assets/vocab.tsv": TEXTS["lexicon.tsv"].encode(),
    "assets/zh_phrase.json": '{"Likes": [["喜欢"]]}'.encode(),
    "readme.md": b"hello",
}


def test_a_new_project_is_the_starter_and_its_files_have_an_author(store: Store) -> None:
    entry = new_project(store, "新项目", lang="zh", who=local_user(store))
    assert load_project(entry.folder).settings.lang == "zh"
    found = history(entry)
    assert {each.file for each in found} == {*starter_texts("zh")}
    assert {(each.reason, each.author) for each in found} == {("import", "local")}
    assert refresh(store).changed == 0


@pytest.mark.parametrize("name", ["small", "SMALL", "occupied", "../x", ".bidui"])
def test_a_name_that_is_taken_or_none_leaves_everything_as_it_was(store: Store, name: str) -> None:
    (store.root / "occupied").mkdir()
    before = sorted(path for path in store.root.rglob("*") if store.hidden not in path.parents)
    with pytest.raises(InputError):
        new_project(store, name, lang="en", who=local_user(store))
    assert sorted(path for path in store.root.rglob("*") if store.hidden not in path.parents) == before
    assert [each.name for each in entries(store)] == ["small"]
    assert list((store.hidden / "incoming").glob("*")) == []


def test_a_project_goes_out_and_comes_in_again_as_it_was(store: Store) -> None:
    packed = export_project(the_entry(store))
    assert export_project(the_entry(store)) == packed
    came = import_project(store, read_zip(packed), name="again", who=local_user(store))
    assert (came.files, came.skipped, came.problems) == (3, (), ())
    assert {file: (came.entry.folder / file).read_text("utf-8") for file in TEXTS} == TEXTS


def test_an_export_has_what_was_changed_outside_a_moment_ago(store: Store) -> None:
    (store.root / "small" / PARADIGM).write_text("by hand\n", "utf-8")
    assert read_zip(export_project(the_entry(store))).files[PARADIGM] == b"by hand\n"


def test_an_export_has_the_tables_that_settings_name_though_these_are_broken_just_now(store: Store) -> None:
    home = store.root / "small"
    (home / "fills.tsv").write_text("a\tb\n", "utf-8")
    (home / "project.yaml").write_text(TEXTS["project.yaml"] + "relations:\n  fills: fills.tsv\n", "utf-8")
    refresh(store)
    (home / "project.yaml").write_text("[", "utf-8")
    assert "fills.tsv" in read_zip(export_project(the_entry(store))).files


def test_what_is_no_part_of_a_project_is_left_out_and_told(store: Store) -> None:
    files = {name: text.encode() for name, text in TEXTS.items()} | {"results/x.tsv": b"", "x.json": b"{}"}
    came = import_project(store, Bundle(files, ("p/.DS_Store",)), name="other", who=local_user(store))
    assert came.skipped == ("p/.DS_Store", "results/x.tsv", "x.json")


def test_a_project_with_faults_comes_in_so_that_they_can_be_mended(store: Store) -> None:
    files = {name: text.encode() for name, text in TEXTS.items()} | {PARADIGM: b"uid: ["}
    came = import_project(store, Bundle(files), name="other", who=local_user(store))
    assert current(came.entry, PARADIGM).text == "uid: ["


def test_a_project_of_the_papers_own_format_is_converted(store: Store) -> None:
    """Templates in JSON, a vocabulary in TSV and phrases, as ZhoBLiMP was published."""
    came = import_project(store, Bundle(CLASSIC), name="classic", who=local_user(store))
    project = load_project(came.entry.folder)
    (paradigm,) = project.paradigms
    # 张三/他 and 李梅/她 are right, and each has one wrong pronoun
    assert {(pair.good, pair.bad) for pair in enumerate_all(project, paradigm.uid)} == {
        ("张三喜欢他自己", "张三喜欢她自己"),
        ("李梅喜欢她自己", "李梅喜欢他自己"),
    }
    assert came.skipped == ("readme.md",)


def test_faulty_templates_are_told_and_nothing_comes_in(store: Store) -> None:
    broken = {**CLASSIC, "templates/bad.json": b'{"uid": "x"'}
    with pytest.raises(InputError, match=r"bad\.json"):
        import_project(store, Bundle(broken), name="classic", who=local_user(store))
    assert not (store.root / "classic").exists()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.md": b""}, "no project.yaml"),
        ({"templates/a.json": CLASSIC["templates/anaphor_1.json"]}, "no project.yaml"),
        ({**CLASSIC, "more.tsv": b"expression\n"}, "several files could be the vocabulary"),
    ],
)
def test_what_is_no_project_is_told(store: Store, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError, match=message):
        import_project(store, Bundle(files), name="none", who=local_user(store))


def test_a_shipped_benchmark_can_be_copied_and_changed(tmp_path: Path) -> None:
    """On SQLite alone: it has 300 files."""
    store = open_store(tmp_path)
    came = copy_benchmark(store, "zhoblimp", name="mine", who=local_user(store))
    original = shipped()["zhoblimp"]
    for file in ("project.yaml", "phrases.yaml", "features.tsv", "card.md"):
        assert (came.entry.folder / file).read_bytes() == (original / file).read_bytes()
    for folder in ("paradigms", "lexicon", "relations"):
        copied = sorted(path.relative_to(came.entry.folder) for path in (came.entry.folder / folder).rglob("*.*"))
        assert copied == sorted(path.relative_to(original) for path in (original / folder).rglob("*.*"))
    with pytest.raises(InputError, match="zhoblimp"):
        copy_benchmark(store, "no-such", name="other", who=local_user(store))
    store.close()


def test_a_deleted_project_comes_back_from_the_bin_with_all_that_lay_in_it(store: Store) -> None:
    who, entry = local_user(store), the_entry(store)
    (entry.folder / "pairs").mkdir()
    (entry.folder / "pairs" / "x.jsonl").write_text("{}", "utf-8")
    delete_project(entry, who=who)
    assert (entries(store), entry.folder.exists()) == ([], False)
    (thrown,) = binned(store)
    assert (thrown.id, thrown.name, thrown.by) == (entry.id, "small", "local")
    refresh(store)  # a deleted project is not one that was removed outside
    back = bring_back(store, thrown.id, who=who)
    assert (back, binned(store)) == (entry, [])
    assert (entry.folder / "pairs" / "x.jsonl").exists()
    assert refresh(store).changed == 0
    assert len(history(entry, PARADIGM)) == 1


def test_the_name_of_a_deleted_project_is_free_and_the_old_one_comes_back_under_another(store: Store) -> None:
    who, old = local_user(store), the_entry(store)
    base = current(old, PARADIGM).revision.id
    delete_project(old, who=who)
    new = new_project(store, "small", lang="zh", who=who)
    assert new.id != old.id
    with pytest.raises(InputError, match="already used"):
        bring_back(store, old.id, who=who)
    back = bring_back(store, old.id, who=who, name="small-2")
    assert current(back, PARADIGM).revision.id == base
    with pytest.raises(InputError, match="no project with the number"):
        bring_back(store, old.id, who=who)


def test_a_page_that_still_has_a_deleted_project_open_cannot_write_into_its_successor(store: Store) -> None:
    who, old = local_user(store), the_entry(store)
    delete_project(old, who=who)
    new_project(store, "small", lang="zh", who=who)
    with pytest.raises(InputError, match="no project small"):
        current(old, PARADIGM)


def test_where_somebody_emptied_the_bin_the_files_can_be_had_even_then(store: Store) -> None:
    """Revisions stay; what was no part of the project is gone for good."""
    who, entry = local_user(store), the_entry(store)
    (entry.folder / "other.txt").write_text("x", "utf-8")
    delete_project(entry, who=who)
    shutil.rmtree(store.hidden / "bin")
    back = bring_back(store, entry.id, who=who)
    assert {path.name for path in back.folder.iterdir()} == {"project.yaml", "lexicon.tsv", "paradigms"}
    assert (len(history(back, PARADIGM)), refresh(store).changed) == (1, 0)


def test_where_the_folder_is_the_project_there_is_no_place_for_others(tmp_path: Path) -> None:
    store = open_store(write_small(tmp_path / "small"))
    who = local_user(store)
    with pytest.raises(InputError, match="serve the folder above"):
        new_project(store, "other", lang="zh", who=who)
    with pytest.raises(InputError, match="serve the folder above"):
        delete_project(the_entry(store), who=who)
    assert saved(store, "a: b\n", base=current(the_entry(store), PARADIGM).revision.id).changed
    store.close()
