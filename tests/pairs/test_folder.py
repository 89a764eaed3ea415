"""A folder of pairs is never overwritten by mistake, never half done, and never written twice."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from bidui.errors import InputError, OutputRefused
from bidui.files import Json, tool_version
from bidui.pairs import Format, Pair, Pairs, Short, plan_folder, read_pairs, uid_fits, write_folder, write_pairs

A = Pairs((Pair("好甲", "坏甲", "a", "x", 0), Pair("好乙", "坏乙", "a", "x", 1)))
B = Pairs((Pair("好丙", "坏丙", "b", "y", 0),), (Short(asked=2, given=1, uid="b", reason="只有一个"),))
C = Pairs((), (Short(asked=2, given=0, uid="c", reason="no word fits"),))
ALL = Pairs(A.items + B.items, B.short + C.short)
ASKED: dict[str, Json] = {"project": "demo", "seed": 0, "n": 2, "only": []}
INPUTS = {"lexicon.tsv": "11", "paradigms/a.yaml": "22"}


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with its content and the time it was written, to see that nothing was touched."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def write(folder: Path, pairs: Pairs = ALL, *, seed: int = 0, force: bool = False, format: Format = "jsonl") -> str:
    return write_pairs(pairs, folder, asked=ASKED | {"seed": seed}, inputs=INPUTS, force=force, format=format).outcome


def killed(folder: Path, *, seed: int = 0, force: bool = False) -> None:
    """A run that dies after the paradigm a."""

    def paradigms() -> Iterator[Pairs]:
        yield A
        raise KeyboardInterrupt

    plan = plan_folder(folder, asked=ASKED | {"seed": seed}, inputs=INPUTS, force=force)
    with pytest.raises(KeyboardInterrupt):
        write_folder(plan, paradigms())


def test_one_file_a_paradigm_and_a_manifest(tmp_path: Path) -> None:
    """The manifest is documented, holds no time, host or path, and hashes what lies beside it."""
    out = tmp_path / "pairs"
    assert write(out) == "written"
    assert sorted(path.name for path in out.iterdir()) == ["a.jsonl", "b.jsonl", "c.jsonl", "manifest.json"]
    digests = {name: sha256((out / f"{name}.jsonl").read_bytes()).hexdigest() for name in "abc"}
    assert (out / "manifest.json").read_text(encoding="utf-8").startswith('{\n  "version": ')
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8")) == {
        "version": tool_version(),
        "asked": {"project": "demo", "seed": 0, "n": 2, "only": [], "format": "jsonl"},
        "benchmarks": [],
        "inputs": {"lexicon.tsv": "11", "paradigms/a.yaml": "22"},
        "files": {
            "a.jsonl": {"sha256": digests["a"], "pairs": 2},
            "b.jsonl": {"sha256": digests["b"], "pairs": 1},
            "c.jsonl": {"sha256": digests["c"], "pairs": 0},
        },
        "short": {
            "b": {"asked": 2, "given": 1, "reason": "只有一个"},
            "c": {"asked": 2, "given": 0, "reason": "no word fits"},
        },
        "finished": True,
    }


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_reading_a_folder_gives_back_the_pairs_and_what_fell_short(tmp_path: Path, format: Format) -> None:
    write(tmp_path, format=format)
    assert read_pairs(tmp_path) == ALL


def test_equal_runs_give_equal_bytes_whatever_the_order_of_asking(tmp_path: Path) -> None:
    write_pairs(ALL, tmp_path / "1", asked={"n": 1, "seed": 2}, inputs={"a": "1", "b": "2"})
    write_pairs(ALL, tmp_path / "2", asked={"seed": 2, "n": 1}, inputs={"b": "2", "a": "1"})
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in "12")
    assert one == two


def test_running_again_touches_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    before = state(tmp_path)
    plan = plan_folder(tmp_path, asked=ASKED | {"only": ()}, inputs=INPUTS)  # a tuple is as good as a list
    assert plan.unchanged
    assert write_folder(plan, iter(())).outcome == "unchanged"
    assert write(tmp_path) == "unchanged"
    assert state(tmp_path) == before


def test_another_run_is_refused_with_the_fields_that_differ(tmp_path: Path) -> None:
    write(tmp_path)
    before = state(tmp_path)
    with pytest.raises(OutputRefused, match=r"different settings: seed \(0, now 1\); .* --force"):
        write(tmp_path, seed=1)
    with pytest.raises(OutputRefused, match=r"different settings: format \(jsonl, now csv\);"):
        write(tmp_path, format="csv")
    with pytest.raises(OutputRefused, match=r"draw \(nothing, now even\), lexicon\.tsv, phrases\.yaml;"):
        plan_folder(
            tmp_path, asked=ASKED | {"draw": "even"}, inputs=INPUTS | {"lexicon.tsv": "12", "phrases.yaml": "3"}
        )
    assert state(tmp_path) == before


def test_another_version_of_bidui_is_another_run(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace(f'"{tool_version()}"', '"0.0.1"'), encoding="utf-8")
    with pytest.raises(OutputRefused, match=r"version \(0\.0\.1, now "):
        write(tmp_path)


def test_force_replaces_and_removes_what_was_ours_alone(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    assert write(tmp_path, A, seed=1, force=True) == "written"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "manifest.json", "notes.txt"]
    assert read_pairs(tmp_path) == A


def test_force_writes_even_what_was_asked_before(tmp_path: Path) -> None:
    """Who changes bidui's own code gets other pairs from the same inputs, and needs a way to have them."""
    write(tmp_path, A)
    assert write(tmp_path, ALL) == "unchanged"
    assert write(tmp_path, ALL, force=True) == "written"
    assert read_pairs(tmp_path) == ALL


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("")
    with pytest.raises(OutputRefused, match=r"other files: thesis\.docx; .* --force"):
        write(tmp_path)
    assert write(tmp_path, force=True) == "written"
    assert (tmp_path / "thesis.docx").exists()


def test_hidden_files_do_not_make_a_folder_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_text("")
    assert write(tmp_path) == "written"


def test_a_file_in_the_folders_place_is_refused_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("precious")
    with pytest.raises(OutputRefused, match="this is a file"):
        write(tmp_path / "pairs", force=True)
    assert (tmp_path / "pairs").read_text() == "precious"


def test_a_killed_run_goes_on_and_cannot_be_read_before(tmp_path: Path) -> None:
    killed(tmp_path)
    (tmp_path / ".b.jsonl.00ff.part").write_text("half a li")
    with pytest.raises(InputError, match="did not finish"):
        read_pairs(tmp_path)
    assert not plan_folder(tmp_path, asked=ASKED, inputs=INPUTS).unchanged
    assert write(tmp_path) == "written"
    assert read_pairs(tmp_path) == ALL
    assert not list(tmp_path.glob(".*"))


def test_a_killed_run_of_another_kind_is_refused(tmp_path: Path) -> None:
    killed(tmp_path)
    with pytest.raises(OutputRefused, match=r"seed \(0, now 1\)"):
        write(tmp_path, seed=1)


def test_a_killed_forced_run_still_removes_the_old_files_when_it_goes_on(tmp_path: Path) -> None:
    write(tmp_path)
    killed(tmp_path, seed=1, force=True)
    assert write(tmp_path, A, seed=1) == "written"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "manifest.json"]


def test_a_changed_file_is_refused_by_name(tmp_path: Path) -> None:
    """Someone corrected a pair by hand; a second run must not undo it silently, nor call it unchanged."""
    write(tmp_path)
    (tmp_path / "b.jsonl").write_text("{}\n")
    with pytest.raises(OutputRefused, match=r"changed after they were written: b\.jsonl; .* --force"):
        write(tmp_path)
    assert write(tmp_path, force=True) == "written"
    assert read_pairs(tmp_path) == ALL


def test_a_missing_file_is_written_again(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "b.jsonl").unlink()
    with pytest.raises(InputError, match=r"files listed here are missing: b\.jsonl"):
        read_pairs(tmp_path)
    assert write(tmp_path) == "written"
    assert read_pairs(tmp_path) == ALL


def test_a_stray_file_is_not_mixed_in(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "old.csv").write_text("sentence_good,sentence_bad\n")
    with pytest.raises(InputError, match=r"not listed here: old\.csv"):
        read_pairs(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1', "null", "\ufeff"])
def test_a_broken_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest\.json"):
        read_pairs(tmp_path)
    with pytest.raises(OutputRefused, match="cannot tell what the folder contains"):
        write(tmp_path)
    assert write(tmp_path, force=True) == "written"


@pytest.mark.parametrize("name", ["../outside.jsonl", "..\\outside.jsonl", "/outside", ".hidden"])
def test_a_manifest_cannot_have_files_elsewhere_removed(tmp_path: Path, name: str) -> None:
    out = tmp_path / "pairs"
    write(out)
    (tmp_path / "outside.jsonl").write_text("precious")
    value = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    value["files"] = {name: {"sha256": "0", "pairs": 1}}
    (out / "manifest.json").write_text(json.dumps(value))
    write(out, A, seed=1, force=True)
    assert (tmp_path / "outside.jsonl").read_text() == "precious"


def test_pairs_at_hand_need_no_project(tmp_path: Path) -> None:
    """`bidui.write_pairs(pairs, "pairs/")`: the same pairs are unchanged, others are refused."""
    assert write_pairs(A, tmp_path).outcome == "written"
    assert write_pairs(A, str(tmp_path)).outcome == "unchanged"
    with pytest.raises(OutputRefused, match="different settings: pairs "):
        write_pairs(A[:1], tmp_path)
    with pytest.raises(OutputRefused, match="different settings: pairs "):
        write_pairs(Pairs(A.items, (Short(3, 2, "a", "few"),)), tmp_path)
    assert read_pairs(tmp_path) == A


@pytest.mark.parametrize(
    "uid", ["", "a/b", "..", ".a", "a.", " a", "a\n", "a:b", "a\\b", "CON", "nul.x", "é" * 101, "\0"]
)
def test_a_uid_that_cannot_name_a_file_is_refused_before_anything_is_written(tmp_path: Path, uid: str) -> None:
    assert not uid_fits(uid)
    with pytest.raises(InputError, match="cannot be a file name"):
        write_pairs(Pairs((Pair("好", "坏", uid, "p", 0),)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_chinese_and_dotted_uids_are_file_names(tmp_path: Path) -> None:
    assert uid_fits("把字句") and uid_fits("a.b-c_1") and uid_fits("console")


def test_two_paradigms_never_share_a_file(tmp_path: Path) -> None:
    """On a Mac, BA.jsonl and ba.jsonl are one file."""
    twice = Pairs((Pair("好", "坏", "BA", "p", 0), Pair("好", "坏", "ba", "p", 0)))
    with pytest.raises(InputError, match="same file: ba"):
        write_pairs(twice, tmp_path)
    with pytest.raises(InputError, match="same file: a"):
        write_folder(plan_folder(tmp_path, asked={}, inputs={}), [A, B, A])
