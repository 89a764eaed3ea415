"""`bidui new`, `bidui check`, `bidui import-classic` and `bidui export-classic` as a user types them."""

import json
import zipfile
from pathlib import Path

import pytest

import bidui
from bidui.grammar.project import new_project
from tests.cli.typed import UIDS, Bidui, Run, change, copy_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("lang", "paradigms"), [("zh", 5), ("en", 3)])
def test_a_new_project_is_clean_and_gives_300_pairs(run: Run, tmp_path: Path, lang: str, paradigms: int) -> None:
    """The first thing anyone does with bidui; a warning or a shortage here would be a bad start."""
    assert run("new", "p", "--lang", lang).returncode == 0
    checked = run("check", "p")
    assert (checked.returncode, checked.stdout) == (0, "0 errors, 0 warnings\n")
    made = run("generate", "p")
    assert made.returncode == 0, made.stderr
    assert [len(pairs) for pairs in bidui.read_pairs(tmp_path / "pairs").by_uid().values()] == [300] * paradigms


@pytest.mark.parametrize(("lang", "first"), [("de", "A x."), ("ja", "ax."), ("ko", "a x."), ("en-GB", "The ")])
def test_a_project_in_any_language_can_be_started(run: Run, tmp_path: Path, lang: str, first: str) -> None:
    """Blanks and capitals follow from the language; nobody asks a German project for a Chinese description."""
    assert run("new", "p", "--lang", lang).returncode == 0
    assert f"lang: {lang}\n" in (tmp_path / "p/project.yaml").read_text("utf-8")
    checked = run("check", "p", "--seconds", 0)
    assert checked.returncode == 0 and "about.zh" not in checked.stdout
    goods = {pair.good for pair in bidui.generate(tmp_path / "p", n=8)}
    assert any(good.startswith(first) for good in goods)


def test_what_is_no_language_is_refused(run: Run, tmp_path: Path) -> None:
    ended = run("new", "p", "--lang", "German")
    assert ended.returncode == 2 and "must be a language tag (BCP 47)" in ended.stderr and "German" in ended.stderr
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_word_of_a_starter_is_used(tmp_path: Path, lang: str) -> None:
    """A word that no paradigm can use would only puzzle whoever reads the lexicon."""
    new_project(tmp_path / "p", lang=lang)
    pairs = bidui.generate(tmp_path / "p", n=300)
    forms = {word.form for word in bidui.open_project(tmp_path / "p").lexicon.words}
    assert forms - {word for pair in pairs for word in pair.words} == set()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_examples_of_a_starter_are_among_its_pairs(tmp_path: Path, lang: str) -> None:
    """An example that its own paradigm cannot make is a lie, and the first one that a reader would believe."""
    new_project(tmp_path / "p", lang=lang)
    opened = bidui.open_project(tmp_path / "p")
    for paradigm in opened.paradigms:
        assert {"en", "zh"} <= paradigm.about.keys() and paradigm.edit
        if bidui.count(opened, paradigm.uid).value < 100_000:  # the largest one's is looked at with the README
            made = {(pair.good, pair.bad) for pair in bidui.enumerate_all(opened, paradigm.uid)}
            assert (paradigm.example["good"], paradigm.example["bad"]) in made


def test_new_refuses_a_folder_that_holds_something(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "thesis.txt").write_text("years of work")
    done = run("new", "p")
    assert done.returncode == 2
    assert "thesis.txt" in done.stderr
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["thesis.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_check_reports_all_problems_and_fails(run: Run, project: Path, tmp_path: Path) -> None:
    """One run, one list: nobody wants to mend one mistake only to be shown the next."""
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "kind:container", "kind:contaner")
    change(broken / "paradigms/anaphor/anaphor_gender_agreement.yaml", "phrase:Person", "phrase:Persn")
    done = run("check", broken, "--seconds", 0)
    assert done.returncode == 2
    assert "BA_inversion.yaml:14" in done.stdout and "container" in done.stdout
    assert "anaphor_gender_agreement.yaml:10" in done.stdout and "Person" in done.stdout
    assert "没有词是 kind:contaner" in run("check", broken, "--seconds", 0, "--lang", "zh").stdout


def test_features_between_colons_are_not_taken_for_emoji(run: Run, project: Path, tmp_path: Path) -> None:
    """The terminal library reads `:X:` as a picture, and `pos:X: 0` is what a message about pos:X says."""
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "verb: pos:VV kind:put", "verb: pos:X kind:put")
    done = run("check", broken, "--seconds", 0)
    assert "pos:X: 0" in done.stdout
    assert "pos:X: 0" in run("generate", broken).stderr


def test_a_project_goes_out_to_the_papers_format_and_comes_back(run: Run, project: Path, tmp_path: Path) -> None:
    """What uses more than the papers' means is left out, and named."""
    out = run("export-classic", project, "-o", "classic")
    assert out.returncode == 1
    assert "question_A_not_A_ma" in out.stderr
    templates = sorted(path.stem for path in (tmp_path / "classic" / "templates").glob("*.json"))
    assert set(templates) < set(UIDS)
    assert (tmp_path / "classic" / "vocabulary.tsv").is_file()


def test_a_missing_project_is_a_message(run: Run) -> None:
    for name in ("check", "generate"):
        done = run(name, "nowhere")
        assert done.returncode == 2
        assert "nowhere" in done.stderr and "Traceback" not in done.stderr


def write_small(folder: Path, **paradigms: str) -> None:
    """Write a project of two names and two verbs, and paradigms by uid."""
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: t\n")
    (folder / "lexicon.tsv").write_text("expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n走\tVV\n")
    for uid, rules in paradigms.items():
        (folder / "paradigms" / "p" / f"{uid}.yaml").write_text(f"format: 1\nuid: {uid}\nphenomenon: p\n{rules}")


def test_only_paradigms_that_a_template_can_say_are_exported(run: Run, tmp_path: Path) -> None:
    """A name and a verb can be said; two names that must differ cannot: the original would let them be the same."""
    one = "slots:\n  who: pos:NR\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
    two = "slots:\n  a: pos:NR\n  b: pos:NR\ngood: a 和 b\nbad: a b\n"
    write_small(tmp_path / "project", one=one, two=two)
    done = run("export-classic", tmp_path / "project", "-o", tmp_path / "out")
    assert done.returncode == 1
    assert [path.name for path in (tmp_path / "out" / "templates").iterdir()] == ["one.json"]
    assert "two: the template would make 4 pairs, 2 more than this paradigm" in done.stderr


def test_a_phrase_that_cannot_be_exported_takes_only_its_paradigms_with_it(run: Run, tmp_path: Path) -> None:
    """What is written can be imported again, whatever was left out."""
    rules = "slots:\n  who: phrase:{}\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
    folder = tmp_path / "project"
    write_small(folder, one=rules.format("Plain"), two=rules.format("Deep"))
    nested = "  Deep: {depth: 1, alternatives: [pos:NR, {parts: {a: pos:NR, rest: phrase:Deep}}]}\n"
    (folder / "phrases.yaml").write_text(f"format: 1\nphrases:\n  Plain: pos:NR\n{nested}")
    done = run("export-classic", folder, "-o", "out")
    assert done.returncode == 1, done.stderr
    assert "depth" in done.stderr
    assert list(json.loads((tmp_path / "out" / "phrases.json").read_text("utf-8"))) == ["Plain"]
    back = ("--vocabulary", "out/vocabulary.tsv", "--phrases", "out/phrases.json", "-o", "back")
    assert run("import-classic", "out/templates", *back).returncode == 0
    assert [path.stem for path in (tmp_path / "back" / "paradigms").rglob("*.yaml")] == ["one"]


def test_a_refused_import_begins_with_a_headline_and_folds_what_repeats(run: Run, tmp_path: Path) -> None:
    """Ten templates with the same mistake gave ten lines or more, and the cause was lost among them."""
    (tmp_path / "t").mkdir()
    template = {"phenomenon": "p", "strict_MP": False, "sep": "", "good_rule": ["pos:NX"], "bad_rule": ["好"]}
    for number in range(10):
        (tmp_path / "t" / f"{number}.json").write_text(json.dumps({"uid": f"u{number}", **template}))
    (tmp_path / "v.tsv").write_text("expression\tpos\n书\tNN\n")
    done = run("import-classic", "t", "--vocabulary", "v.tsv", "-o", "out")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: 10 errors in 10 files; nothing was imported")
    assert sum("pos:NX" in line for line in lines) == 3
    assert lines[-1] == "and 7 more like these (classic-value-unknown: 7); --all shows them"
    done = run("import-classic", "t", "--vocabulary", "v.tsv", "-o", "out", "--all")
    assert done.stderr.count("pos:NX") == 10
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
