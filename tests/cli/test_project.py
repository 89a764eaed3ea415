"""`bidui new`, `bidui check`, `bidui import-classic` and `bidui export-classic` as a user types them."""

import json
import zipfile
from pathlib import Path

import pytest

from bidui import count, enumerate_all, generate, open_project, read_pairs
from bidui.grammar.project import new_project
from tests.cli.typed import UIDS, Bidui, change, copy_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("lang", "paradigms"), [("zh", 5), ("en", 3)])
def test_a_new_project_is_clean_and_gives_300_pairs(bidui: Bidui, tmp_path: Path, lang: str, paradigms: int) -> None:
    """The first thing anyone does with bidui; a warning or a shortage here would be a bad start."""
    assert bidui("new", "p", "--lang", lang).code == 0
    checked = bidui("check", "p")
    assert (checked.code, checked.out) == (0, "0 errors, 0 warnings\n")
    made = bidui("generate", "p")
    assert made.code == 0, made.err
    assert [len(pairs) for pairs in read_pairs(tmp_path / "pairs").by_uid().values()] == [300] * paradigms


@pytest.mark.parametrize(("lang", "first"), [("de", "A x."), ("ja", "ax."), ("ko", "a x."), ("en-GB", "The ")])
def test_a_project_in_any_language_can_be_started(bidui: Bidui, tmp_path: Path, lang: str, first: str) -> None:
    """Blanks and capitals follow from the language; nobody asks a German project for a Chinese description."""
    assert bidui("new", "p", "--lang", lang).code == 0
    assert f"lang: {lang}\n" in (tmp_path / "p/project.yaml").read_text("utf-8")
    checked = bidui("check", "p", "--seconds", 0)
    assert checked.code == 0 and "about.zh" not in checked.out
    goods = {pair.good for pair in generate(tmp_path / "p", n=8)}
    assert any(good.startswith(first) for good in goods)


def test_what_is_no_language_is_refused(bidui: Bidui, tmp_path: Path) -> None:
    ended = bidui("new", "p", "--lang", "German")
    assert ended.code == 2 and "must be a language tag (BCP 47)" in ended.err and "German" in ended.err
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_word_of_a_starter_is_used(tmp_path: Path, lang: str) -> None:
    """A word that no paradigm can use would only puzzle whoever reads the lexicon."""
    new_project(tmp_path / "p", lang=lang)
    pairs = generate(tmp_path / "p", n=300)
    forms = {word.form for word in open_project(tmp_path / "p").lexicon.words}
    assert forms - {word for pair in pairs for word in pair.words} == set()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_examples_of_a_starter_are_among_its_pairs(tmp_path: Path, lang: str) -> None:
    """An example that its own paradigm cannot make is a lie, and the first one that a reader would believe."""
    new_project(tmp_path / "p", lang=lang)
    opened = open_project(tmp_path / "p")
    for paradigm in opened.paradigms:
        assert {"en", "zh"} <= paradigm.about.keys() and paradigm.edit
        if count(opened, paradigm.uid).value < 100_000:  # the largest one's is looked at with the README
            made = {(pair.good, pair.bad) for pair in enumerate_all(opened, paradigm.uid)}
            assert (paradigm.example["good"], paradigm.example["bad"]) in made


def test_new_refuses_a_folder_that_holds_something(bidui: Bidui, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "thesis.txt").write_text("years of work")
    done = bidui("new", "p")
    assert done.code == 2
    assert "thesis.txt" in done.err
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["thesis.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_check_reports_all_problems_and_fails(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """One run, one list: nobody wants to mend one mistake only to be shown the next."""
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "kind:container", "kind:contaner")
    change(broken / "paradigms/anaphor/anaphor_gender_agreement.yaml", "phrase:Person", "phrase:Persn")
    done = bidui("check", broken, "--seconds", 0)
    assert done.code == 2
    assert "BA_inversion.yaml:14" in done.out and "container" in done.out
    assert "anaphor_gender_agreement.yaml:10" in done.out and "Person" in done.out
    assert "没有词是 kind:contaner" in bidui("check", broken, "--seconds", 0, "--lang", "zh").out


def test_features_between_colons_are_not_taken_for_emoji(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """The terminal library reads `:X:` as a picture, and `pos:X: 0` is what a message about pos:X says."""
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "verb: pos:VV kind:put", "verb: pos:X kind:put")
    done = bidui("check", broken, "--seconds", 0)
    assert "pos:X: 0" in done.out
    assert "pos:X: 0" in bidui("generate", broken).err


def test_a_project_goes_out_to_the_papers_format_and_comes_back(bidui: Bidui, project: Path, tmp_path: Path) -> None:
    """What uses more than the papers' means is left out, and named."""
    out = bidui("export-classic", project, "-o", "classic")
    assert out.code == 1
    assert "question_A_not_A_ma" in out.err
    templates = sorted(path.stem for path in (tmp_path / "classic" / "templates").glob("*.json"))
    assert set(templates) < set(UIDS)
    assert (tmp_path / "classic" / "vocabulary.tsv").is_file()


def test_a_missing_project_is_a_message(bidui: Bidui) -> None:
    for name in ("check", "generate"):
        done = bidui(name, "nowhere")
        assert done.code == 2
        assert "nowhere" in done.err and "Traceback" not in done.err


def write_small(folder: Path, **paradigms: str) -> None:
    """Write a project of two names and two verbs, and paradigms by uid."""
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: t\n")
    (folder / "lexicon.tsv").write_text("expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n走\tVV\n")
    for uid, rules in paradigms.items():
        (folder / "paradigms" / "p" / f"{uid}.yaml").write_text(f"format: 1\nuid: {uid}\nphenomenon: p\n{rules}")


def test_only_paradigms_that_a_template_can_say_are_exported(bidui: Bidui, tmp_path: Path) -> None:
    """A name and a verb can be said; two names that must differ cannot: the original would let them be the same."""
    one = "slots:\n  who: pos:NR\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
    two = "slots:\n  a: pos:NR\n  b: pos:NR\ngood: a 和 b\nbad: a b\n"
    write_small(tmp_path / "project", one=one, two=two)
    done = bidui("export-classic", tmp_path / "project", "-o", tmp_path / "out")
    assert done.code == 1
    assert [path.name for path in (tmp_path / "out" / "templates").iterdir()] == ["one.json"]
    assert "two: the template would make 4 pairs, 2 more than this paradigm" in done.err


def test_a_phrase_that_cannot_be_exported_takes_only_its_paradigms_with_it(bidui: Bidui, tmp_path: Path) -> None:
    """What is written can be imported again, whatever was left out."""
    rules = "slots:\n  who: phrase:{}\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
    folder = tmp_path / "project"
    write_small(folder, one=rules.format("Plain"), two=rules.format("Deep"))
    nested = "  Deep: {depth: 1, alternatives: [pos:NR, {parts: {a: pos:NR, rest: phrase:Deep}}]}\n"
    (folder / "phrases.yaml").write_text(f"format: 1\nphrases:\n  Plain: pos:NR\n{nested}")
    done = bidui("export-classic", folder, "-o", "out")
    assert done.code == 1, done.err
    assert "depth" in done.err
    assert list(json.loads((tmp_path / "out" / "phrases.json").read_text("utf-8"))) == ["Plain"]
    back = ("--vocabulary", "out/vocabulary.tsv", "--phrases", "out/phrases.json", "-o", "back")
    assert bidui("import-classic", "out/templates", *back).code == 0
    assert [path.stem for path in (tmp_path / "back" / "paradigms").rglob("*.yaml")] == ["one"]


def test_a_refused_import_begins_with_a_headline_and_folds_what_repeats(bidui: Bidui, tmp_path: Path) -> None:
    """Ten templates with the same mistake gave ten lines or more, and the cause was lost among them."""
    (tmp_path / "t").mkdir()
    template = {"phenomenon": "p", "strict_MP": False, "sep": "", "good_rule": ["pos:NX"], "bad_rule": ["好"]}
    for number in range(10):
        (tmp_path / "t" / f"{number}.json").write_text(json.dumps({"uid": f"u{number}", **template}))
    (tmp_path / "v.tsv").write_text("expression\tpos\n书\tNN\n")
    done = bidui("import-classic", "t", "--vocabulary", "v.tsv", "-o", "out")
    assert done.code == 2
    lines = done.err.splitlines()
    assert lines[0].startswith("error: 10 errors in 10 files; nothing was imported")
    assert sum("pos:NX" in line for line in lines) == 3
    assert lines[-1] == "and 7 more like these (classic-value-unknown: 7); --all shows them"
    done = bidui("import-classic", "t", "--vocabulary", "v.tsv", "-o", "out", "--all")
    assert done.err.count("pos:NX") == 10
    assert not (tmp_path / "out").exists()


def test_new_from_a_benchmark_on_the_command_line(bidui: Bidui, tmp_path: Path) -> None:
    files = {"project.yaml": "format: 1\n", "lexicon.tsv": "expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n"}
    rules = "slots:\n  who: pos:NR\n  does: pos:VV\ngood: who does 了\n"
    for uid, bad in (("order", "does who 了"), ("drop", "who 了")):
        files[f"paradigms/{uid}s/{uid}.yaml"] = f"format: 1\nuid: {uid}\nphenomenon: {uid}s\n{rules}bad: {bad}\n"
    with zipfile.ZipFile(tmp_path / "tiny.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    done = bidui("new", "mine", "--from", "tiny.zip", "--phenomenon", "orders", "--only", "drop")
    assert (done.code, done.err) == (0, "mine: the words of tiny.zip, 2 paradigms; next: bidui check mine\n")
    assert "write a paradigm in bare/paradigms" in bidui("new", "bare", "--from", "tiny.zip").err
    for arguments, message in (
        (("--all",), "--all chooses paradigms of a benchmark"),
        (("--from", "tiny.zip", "--lang", "en"), "--lang chooses a starter"),
        (("--from", "nowhere"), "no benchmark, folder or zip nowhere"),
    ):
        done = bidui("new", "other", *arguments)
        assert done.code == 2 and message in done.err
        assert not (tmp_path / "other").exists()
    assert bidui("diversity", "tiny.zip", "-n", 2).out.split()[:2] == ["pairs", "4"]
