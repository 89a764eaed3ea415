"""Files made to break the reader end in an error that a user can act on: no crash, no hang, no flood.

Each runs in a process of its own, so that a hang fails its test and nothing else.
"""

import multiprocessing
import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bidui.errors import InputError, Place
from bidui.grammar import check_project, read_project

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])
PARADIGM = "paradigms/p/x.yaml"
HEAD = "format: 1\nuid: x\nphenomenon: p\n"
BODY = "slots: {a: pos:N, b: pos:V}\ngood: a b\nbad: b a\n"
FILES = {
    "project.yaml": "format: 1\nname: hostile\n",
    "lexicon.tsv": "expression\tpos\n甲\tN\n乙\tN\n走\tV\n",
    PARADIGM: HEAD + BODY,
}


def rule(text: str) -> dict[str, str]:
    return {PARADIGM: f"{HEAD}slots:\n  a: '{text}'\n  b: pos:V\ngood: a b\nbad: b a\n"}


def line(text: str) -> dict[str, str]:
    return {PARADIGM: f"{HEAD}slots: {{a: pos:N, b: pos:V}}\ngood: '{text}'\nbad: b a\n"}


def phrases(text: str, use: str = "phrase:A") -> dict[str, str]:
    return {"phrases.yaml": f"format: 1\nphrases:\n{text}", **rule(use)}


def recursive(names: str, depth: int, alternatives: str) -> str:
    """Phrases that hold each other in every way."""
    found = ""
    for name in names:
        parts = "".join(f"      - parts: {{x: pos:N, y: phrase:{other}}}\n" for other in names)
        found += f"  {name}:\n    depth: {depth}\n    alternatives:\n      - {alternatives}\n{parts}"
    return found


BOMB = "\n".join(f"k{n}: &k{n} [" + ", ".join([f"*k{n - 1}"] * 9) + "]" for n in range(1, 10))
FILES_BY_KIND: dict[str, tuple[dict[str, str | bytes], str]] = {
    # YAML
    "lists 100,000 deep": ({PARADIGM: HEAD + "slots: " + "[" * 100_000}, "yaml-too-deep"),
    "mappings 100,000 deep": ({PARADIGM: HEAD + "slots: " + "{a: " * 100_000}, "yaml-too-deep"),
    "indents 2,000 deep": ({PARADIGM: "\n".join(" " * n + "a:" for n in range(2_000))}, "yaml-too-deep"),
    "dashes 10,000 deep": ({PARADIGM: "- " * 10_000}, "yaml-too-deep"),
    "question marks 10,000 deep": ({PARADIGM: "? " * 10_000}, "yaml-too-deep"),
    "a bomb of aliases": ({PARADIGM: "k0: &k0 [a]\n" + BOMB + "\n"}, "yaml-needs-quotes"),
    "an alias of itself": ({PARADIGM: "a: &a [*a]\n"}, "yaml-needs-quotes"),
    "a tag that makes an object": ({PARADIGM: "a: !!python/object/apply:os.system [ls]\n"}, "yaml-needs-quotes"),
    "a directive": ({PARADIGM: "%YAML 9.9\n---\na: b\n"}, "yaml-broken"),
    "a quote that never ends": ({PARADIGM: HEAD + 'source: "' + "a\n" * 50_000}, "yaml-broken"),
    "100,000 keys": ({PARADIGM: HEAD + BODY + "".join(f"k{n}: v\n" for n in range(100_000))}, "yaml-too-long"),
    "10,000 keys": ({PARADIGM: HEAD + BODY + "".join(f"k{n}: v\n" for n in range(10_000))}, "key-unknown"),
    "20,000 slots": (
        {PARADIGM: HEAD + "slots:\n" + "".join(f"  s{n}: pos:N\n" for n in range(20_000)) + "good: x y\nbad: y\n"},
        "line-unknown",
    ),
    "half a character": ({PARADIGM: HEAD + 'source: "\\ud800"\n' + BODY}, "yaml-needs-quotes"),
    # rules and lines
    "a rule of 100,000 characters": (rule("a" * 100_000), "rule-too-long"),
    "a rule of 10,000 alternatives": (rule(" | ".join(["pos:N"] * 10_000)), "rule-too-long"),
    "a rule of 9,999 brackets": (rule("a:" + "<" * 9_990), "bracket-too-deep"),
    "a rule of 9,999 backslashes": (rule("\\" * 9_999), "escape-unknown"),
    "a rule of 9,999 colons": (rule(":" * 9_999), "value-missing"),
    "a rule of 9,999 slashes": (rule("pos:" + "/" * 9_990), "value-missing"),
    "a rule of 9,999 bars": (rule("|" * 9_999), "alternative-empty"),
    "a rule of 4,000 values": (rule("pos:" + "/".join(["x"] * 4_000)), "value-unknown"),
    "a rule of 1,000 unknown features": (rule(" ".join(f"f{n}:x" for n in range(1_000))), "feature-unknown"),
    "a position of 5,000 digits": (rule("pos:N mPos:" + "9" * 5_000 + " mPro:pos"), "position-bad"),
    "a position that is no number to count with": (rule("pos:N mPos:² mPro:pos"), "slot-unknown"),
    "a path 4,000 deep": (rule("pos:N mPos:a" + ".b" * 4_000 + " mPro:pos"), "part-unknown"),
    "a weight of 5,000 digits": (rule("9" * 5_000 + "* pos:N | pos:V"), "weight-bad"),
    "a weight in the millions": (rule("1000001* pos:N | pos:V"), "weight-bad"),
    "a weight that would fill the memory": ({PARADIGM: HEAD + BODY + "weight: 1e999999999\n"}, "weight-bad"),
    "a weight of nought below the line": ({PARADIGM: HEAD + BODY + "weight: 1/0\n"}, "weight-bad"),
    "a weight that is no number": ({PARADIGM: HEAD + BODY + "weight: nan\n"}, "weight-bad"),
    "a line of 100,000 characters": (line("x" * 100_000), "line-too-long"),
    "a line of 5,000 unknown words": (line("x " * 4_999), "line-unknown"),
    "a line of 1,000 slots": (line("a " * 1_000), "line-too-many-items"),
    "a line of quotes": (line('"' * 9_999), "quote-open"),
    "a line of backslashes": (line("\\" * 9_999), "escape-unknown"),
    "a slot's name of 100,000 letters": (
        {PARADIGM: f"{HEAD}slots: {{? {'a' * 100_000} : pos:N, b: pos:V}}\ngood: c b\nbad: b c\n"},
        "line-unknown",
    ),
    "a uid of 100,000 letters": (
        {PARADIGM: f"format: 1\nuid: {'x' * 100_000}\nphenomenon: p\n{BODY}"},
        "file-misplaced",
    ),
    # phrases
    "phrases in a circle of three": (
        phrases("  A: [phrase:B]\n  B: [phrase:C]\n  C:\n    - parts: {x: pos:N, y: phrase:A}\n"),
        "phrase-cycle",
    ),
    "a phrase that is itself": (phrases("  A: [phrase:A]\n"), "phrase-cycle"),
    "recursion 12 deep in three ways": (phrases(recursive("ABC", 12, "pos:N")), "expansion-too-large"),
    "recursion 12 deep of nothing at all": (phrases(recursive("ABC", 12, "'\"\"'")), "expansion-too-large"),
    "recursion 12 deep through ten names": (phrases(recursive("ABCDEFGHIJ", 12, "pos:N")), "phrases-too-deep"),
    "a phrase that doubles itself": (
        phrases("  A:\n    depth: 12\n    alternatives:\n      - '\"\"'\n      - parts: {x: phrase:A, y: phrase:A}\n"),
        "expansion-too-large",
    ),
    "a chain of 3,000 phrases": (
        phrases("".join(f"  P{n}: [phrase:P{n + 1}]\n" for n in range(3_000)) + "  P3000: [pos:N]\n", "phrase:P0"),
        "phrases-too-deep",
    ),
    "a phrase of 10,000 alternatives": (phrases("  A:\n" + "    - pos:N\n" * 10_000), "expansion-too-large"),
    "a phrase of 300 alternatives in two slots": (
        {
            "phrases.yaml": "format: 1\nphrases:\n  A:\n" + "    - pos:N\n" * 300,
            PARADIGM: f"{HEAD}slots: {{a: phrase:A, b: phrase:A}}\ngood: a b\nbad: b a\n",
        },
        "expansion-too-large",
    ),
    "a depth of 5,000 digits": (phrases(f"  A:\n    depth: {'9' * 5_000}\n    alternatives: [pos:N]\n"), "depth-bad"),
    "a part with a minus too many": (
        phrases("  A:\n    - parts: {x: pos:N}\n", "phrase:A --1:<pos:N>"),
        "part-unknown",
    ),
    # tables
    "a lexicon of one line": ({"lexicon.tsv": "a" * 5_000_000}, "lexicon-no-expression"),
    "a lexicon of 20,000 columns": ({"lexicon.tsv": "expression" + "\tx" * 20_000}, "lexicon-column-twice"),
    "a lexicon of 100,000 equal rows": (
        {"lexicon.tsv": "expression\tpos\n" + "甲\tN\n" * 100_000},
        "lexicon-duplicate",
    ),
    "a lexicon of 100,000 broken rows": (
        {"lexicon.tsv": "expression\tpos\n" + "\tN\n" * 100_000},
        "lexicon-empty-expression",
    ),
    "a relation of 10,000 columns": (
        {
            "project.yaml": "format: 1\nrelations: {r: r.tsv}\n",
            "r.tsv": "\t".join(f"c{n % 5_000}" for n in range(10_000)),
        },
        "relation-column",
    ),
    "a relation in a file without a name": ({"project.yaml": 'format: 1\nrelations: {r: "\\0"}\n'}, "table-name"),
    # bytes
    "null bytes": ({PARADIGM: b"\0" * 1_000_000}, "control-character"),
    "random bytes": ({PARADIGM: bytes((n * 7919 + 13) % 256 for n in range(100_000))}, "not-utf8"),
    "an image for a lexicon": ({"lexicon.tsv": b"\x89PNG\r\n\x1a\n" + bytes(range(256))}, "not-utf8"),
    "UTF-32": ({PARADIGM: (HEAD + BODY).encode("utf-32")}, "not-utf8"),
    "surrogates in UTF-8": ({PARADIGM: HEAD.encode() + b"source: \xed\xa0\x80\n"}, "not-utf8"),
    "overlong UTF-8": ({PARADIGM: HEAD.encode() + b"source: \xc0\xaf\n"}, "not-utf8"),
    "text cut in the middle of a character": ({PARADIGM: (HEAD + "source: 语").encode()[:-1]}, "not-utf8"),
    "what no text may hold": ({PARADIGM: HEAD + "source: \ufffe\n" + BODY}, "control-character"),
    "21 million bytes": ({"lexicon.tsv": b"expression\n" + b"a" * 21_000_000}, "file-too-large"),
}


def write(folder: Path, changes: dict[str, str | bytes]) -> None:
    for name, text in {**FILES, **changes}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def ended(folder: Path) -> list[str]:
    """The errors that a process of its own finds; it may take 20 seconds of a processor and a gigabyte, not more."""
    out = folder.parent / "found.txt"
    process = FORKS.Process(target=report, args=(str(folder), str(out)))
    process.start()
    process.join(600)
    hangs = process.is_alive()
    process.kill()
    process.join()
    assert not hangs
    assert process.exitcode == 0
    kinds, *texts = out.read_text("utf-8").split("\n")
    assert all(len(text) < 110_000 for text in texts)
    return kinds.split()


def report(folder: str, out: str) -> None:
    """Writes down the kinds of all errors, and the messages of some in both languages."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # however busy the machine is
    try:
        problems = [problem for problem in check_project(read_project(folder)) if problem.severity == "error"]
    except InputError as error:
        problems = list(error.problems)
    texts = [f"{problem.place}: {problem.text(language)}" for problem in problems[:50] for language in ("en", "zh")]
    lines = (" ".join(sorted({problem.kind for problem in problems})), *texts)
    Path(out).write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize("name", FILES_BY_KIND)
def test_a_hostile_file_ends_in_an_error(tmp_path: Path, name: str) -> None:
    changes, kind = FILES_BY_KIND[name]
    write(tmp_path / "project", changes)
    assert kind in ended(tmp_path / "project")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("file", FILES | {"phrases.yaml": ""})
@pytest.mark.parametrize("make", [Path.mkdir, loop, pipe, device], ids=["folder", "loop", "pipe", "device"])
def test_what_is_not_a_file_is_not_read(tmp_path: Path, file: str, make: Callable[[Path], None]) -> None:
    """A loop cannot be followed, a pipe waits for ever, a device never ends."""
    write(tmp_path / "project", {})
    path = tmp_path / "project" / file
    path.unlink(missing_ok=True)
    make(path)
    assert ended(tmp_path / "project") == ["no-project" if file == "project.yaml" else "file-unreadable"]


@pytest.mark.parametrize("make", [Path.touch, loop, pipe], ids=["file", "loop", "pipe"])
def test_what_is_not_a_folder_is_not_looked_into(tmp_path: Path, make: Callable[[Path], None]) -> None:
    write(tmp_path / "project", {})
    shutil.rmtree(tmp_path / "project" / "paradigms")
    make(tmp_path / "project" / "paradigms")
    assert ended(tmp_path / "project") == ["file-unreadable"]


def test_folders_that_go_in_circles_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "project", {})
    (tmp_path / "project" / "paradigms" / "p" / "again").symlink_to("..", target_is_directory=True)
    assert ended(tmp_path / "project") == []


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, {})
    (tmp_path / "lexicon.tsv").chmod(0)
    if os.access(tmp_path / "lexicon.tsv", os.R_OK):
        pytest.skip("root may read everything")
    (problem,) = read_project(tmp_path).problems
    assert (problem.kind, problem.place) == ("file-unreadable", Place("lexicon.tsv"))


def test_a_name_that_is_no_text_can_be_printed(tmp_path: Path) -> None:
    """Linux allows any bytes in the names of files; half a character cannot be printed or put into a manifest."""
    write(tmp_path, {})
    try:
        (tmp_path / "paradigms" / "p" / os.fsdecode(b"\xff.yaml")).write_text(HEAD.replace("uid: x", "uid: y") + BODY)
    except OSError:
        pytest.skip("this file system wants text")
    (problem,) = read_project(tmp_path).problems
    assert (problem.kind, problem.place.file) == ("file-misplaced", "paradigms/p/\\xff.yaml")


def test_a_word_of_a_megabyte_is_no_mistake(tmp_path: Path) -> None:
    """It is read, and a message that names it is cut."""
    huge = "长" * 350_000
    lexicon = f"expression\tpos\n{huge}\tN\n走\tV\n{huge}\tN\n"
    write(tmp_path, {"lexicon.tsv": lexicon})
    (problem,) = read_project(tmp_path).problems
    assert problem.kind == "lexicon-duplicate"
    assert len(str(problem)) < 500
