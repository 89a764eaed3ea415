"""Each command as a user types it, on the project that `bidui new` writes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import bidui
from bidui.grammar.project import new_project

from ..snippets import command

pytestmark = pytest.mark.slow

UIDS = [
    "BA_bare_verb",
    "BA_inversion",
    "anaphor_gender_agreement",
    "classifier_noun_agreement",
    "question_A_not_A_ma",
]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return command(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def project(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "project"
    subprocess.run(["bidui", "new", str(folder)], env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    def bidui_command(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bidui", *map(str, arguments)],
            cwd=tmp_path,
            env={**environment, **variables},
            capture_output=True,
            check=False,
            text=True,
        )

    return bidui_command


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("lang", "paradigms"), [("zh", 5), ("en", 3)])
def test_a_new_project_is_clean_and_gives_300_pairs(run: Run, tmp_path: Path, lang: str, paradigms: int) -> None:
    """The first thing anyone does with bidui; a warning or a shortage here would be a bad start."""
    assert run("new", "p", "--lang", lang).returncode == 0
    checked = run("check", "p")
    assert (checked.returncode, checked.stdout) == (0, "0 errors, 0 warnings\n")
    made = run("generate", "p")
    assert made.returncode == 0, made.stderr
    assert [len(pairs) for pairs in bidui.read_pairs(tmp_path / "pairs").by_uid().values()] == [300] * paradigms


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


def test_generate_stops_at_broken_input_before_it_writes(run: Run, project: Path, tmp_path: Path) -> None:
    broken = copy_of(project, tmp_path)
    change(broken / "paradigms/BA/BA_inversion.yaml", "kind:container", "kind:contaner")
    done = run("generate", broken, "-o", "pairs")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "BA_inversion.yaml:14" in done.stderr


def test_a_second_run_has_nothing_to_do(run: Run, project: Path, tmp_path: Path) -> None:
    first = run("generate", project, "-n", 20)
    before = contents(tmp_path / "pairs")
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "pairs").iterdir()}
    second = run("generate", project, "-n", 20)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "nothing to do" in second.stderr and "nothing to do" not in first.stderr
    assert contents(tmp_path / "pairs") == before
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "pairs").iterdir()} == times


def test_another_run_does_not_write_over_the_pairs_without_force(run: Run, project: Path, tmp_path: Path) -> None:
    """Pairs that people have been asked about must not change under their feet."""
    run("generate", project, "-n", 20)
    before = contents(tmp_path / "pairs")
    refused = run("generate", project, "-n", 20, "--seed", 1)
    assert refused.returncode == 2 and "seed (0, now 1)" in refused.stderr
    assert contents(tmp_path / "pairs") == before
    assert run("generate", project, "-n", 20, "--seed", 1, "--force").returncode == 0
    assert contents(tmp_path / "pairs") != before


def test_pairs_that_someone_changed_are_not_written_over(run: Run, project: Path, tmp_path: Path) -> None:
    run("generate", project, "-n", 5, "--only", "BA_inversion")
    file = tmp_path / "pairs" / "BA_inversion.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("move", "moved"), encoding="utf-8")
    done = run("generate", project, "-n", 5, "--only", "BA_inversion")
    assert done.returncode == 2 and "BA_inversion.jsonl" in done.stderr


def test_too_few_pairs_are_written_with_the_reason(run: Run, project: Path, tmp_path: Path) -> None:
    """Half a result that looks like a whole one is what the published generators give."""
    done = run("generate", project, "-n", 100000, "--only", "anaphor_gender_agreement", "--only", "BA_inversion")
    assert done.returncode == 1
    # by hand: 16 names, 2 x 16 relatives, 2 x 8 jobs; 7 x 3 + 7 x 4 + 3 x 3 ways to blame oneself
    assert "anaphor_gender_agreement: 3712 of 100000 pairs" in done.stderr
    assert "without `mPos:verb mPro:kind=adverb`, there would be" in done.stderr
    assert len(lines(tmp_path / "pairs" / "anaphor_gender_agreement.jsonl")) == (16 + 32 + 16) * (21 + 28 + 9) == 3712
    manifest = json.loads((tmp_path / "pairs" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["finished"] is True
    assert manifest["short"]["anaphor_gender_agreement"]["given"] == 3712
    again = run("generate", project, "-n", 100000, "--only", "anaphor_gender_agreement", "--only", "BA_inversion")
    assert again.returncode == 1 and "nothing to do" in again.stderr


def test_only_takes_names_and_globs(run: Run, project: Path, tmp_path: Path) -> None:
    run("generate", project, "-n", 2, "--only", "BA_*", "--only", "question_A_not_A_ma")
    names = [path.stem for path in sorted((tmp_path / "pairs").glob("*.jsonl"))]
    assert names == ["BA_bare_verb", "BA_inversion", "question_A_not_A_ma"]
    missing = run("generate", project, "-n", 2, "--only", "BEI_*", "-o", "other")
    assert missing.returncode == 2 and "BEI_*" in missing.stderr


def test_excluded_paradigms_come_only_when_asked_for(run: Run, project: Path, tmp_path: Path) -> None:
    """What "overall" means must not depend on who runs it."""
    other = copy_of(project, tmp_path)
    change(other / "paradigms/BA/BA_inversion.yaml", "edit:", "status: excluded\nreason: people do not agree\nedit:")
    run("generate", other, "-n", 2, "-o", "without")
    run("generate", other, "-n", 2, "-o", "with", "--include-excluded")
    run("generate", other, "-n", 2, "-o", "named", "--only", "BA_inversion")
    assert [path.stem for path in sorted((tmp_path / "without").glob("*.jsonl"))] == [
        u for u in UIDS if u != "BA_inversion"
    ]
    assert [path.stem for path in sorted((tmp_path / "with").glob("*.jsonl"))] == UIDS
    assert [path.stem for path in sorted((tmp_path / "named").glob("*.jsonl"))] == ["BA_inversion"]


@pytest.mark.parametrize("draw", ["even", "uniform"])
def test_the_same_seed_gives_the_same_bytes(run: Run, project: Path, tmp_path: Path, draw: str) -> None:
    """Any hash seed, any number of workers, alone or among others."""
    ask = ("generate", project, "-n", 100, "--seed", 5, "--draw", draw)
    assert run(*ask, "-o", "one", PYTHONHASHSEED="1").returncode == 0
    run(*ask, "-o", "two", PYTHONHASHSEED="2")
    run(*ask, "-o", "workers", "--workers", 2)
    run(*ask, "-o", "alone", "--only", "classifier_noun_agreement")
    expected = contents(tmp_path / "one")
    assert sorted(expected) == sorted(["manifest.json", *(f"{uid}.jsonl" for uid in UIDS)])
    assert contents(tmp_path / "two") == expected
    assert contents(tmp_path / "workers") == expected
    alone = contents(tmp_path / "alone")
    assert alone["classifier_noun_agreement.jsonl"] == expected["classifier_noun_agreement.jsonl"]


@pytest.mark.parametrize("draw", ["even", "uniform"])
def test_fewer_pairs_are_the_first_of_more(run: Run, project: Path, tmp_path: Path, draw: str) -> None:
    """Somebody who starts with 100 and goes on to 300 keeps what was already judged."""
    run("generate", project, "-n", 100, "--draw", draw, "-o", "few")
    run("generate", project, "-n", 300, "--draw", draw, "-o", "many")
    for uid in UIDS:
        few, many = lines(tmp_path / "few" / f"{uid}.jsonl"), lines(tmp_path / "many" / f"{uid}.jsonl")
        assert (len(few), len(many)) == (100, 300)
        assert many[:100] == few
        assert len({json.loads(line)["sentence_good"] + json.loads(line)["sentence_bad"] for line in many}) == 300


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_other_formats_hold_the_same_pairs(run: Run, project: Path, tmp_path: Path, format: str) -> None:
    run("generate", project, "-n", 10, "-o", "jsonl")
    assert run("generate", project, "-n", 10, "-o", format, "--format", format).returncode == 0
    assert bidui.read_pairs(tmp_path / format).items == bidui.read_pairs(tmp_path / "jsonl").items


def test_diversity_counts_pairs(run: Run, project: Path, tmp_path: Path) -> None:
    run("generate", project, "-n", 10)
    done = run("diversity", "pairs")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].split() == ["pairs", "50"]
    missing = run("diversity", "nowhere")
    assert missing.returncode == 2 and "Traceback" not in missing.stderr


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


def copy_of(project: Path, folder: Path) -> Path:
    copy = folder / "copy"
    for path in sorted(project.rglob("*")):
        if path.is_file():
            target = copy / path.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return copy


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_only_paradigms_that_a_template_can_say_are_exported(run: Run, tmp_path: Path) -> None:
    """A name and a verb can be said; two names that must differ cannot: the original would let them be the same."""
    folder = tmp_path / "project"
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: t\n")
    (folder / "lexicon.tsv").write_text("expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n")
    head = "format: 1\nphenomenon: p\n"
    one = "uid: one\nslots:\n  who: pos:NR\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
    two = "uid: two\nslots:\n  a: pos:NR\n  b: pos:NR\ngood: a 和 b\nbad: a b\n"
    (folder / "paradigms" / "p" / "one.yaml").write_text(head + one)
    (folder / "paradigms" / "p" / "two.yaml").write_text(head + two)
    done = run("export-classic", folder, "-o", tmp_path / "out")
    assert done.returncode == 1
    assert [path.name for path in (tmp_path / "out" / "templates").iterdir()] == ["one.json"]
    assert "two: the template would make 4 pairs, 2 more than this paradigm" in done.stderr


def test_a_phrase_that_cannot_be_exported_takes_only_its_paradigms_with_it(run: Run, tmp_path: Path) -> None:
    """What is written can be imported again, whatever was left out."""
    folder = tmp_path / "project"
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: t\n")
    (folder / "lexicon.tsv").write_text("expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n走\tVV\n")
    nested = "  Deep: {depth: 1, alternatives: [pos:NR, {parts: {a: pos:NR, rest: phrase:Deep}}]}\n"
    (folder / "phrases.yaml").write_text(f"format: 1\nphrases:\n  Plain: pos:NR\n{nested}")
    for uid, phrase in (("one", "Plain"), ("two", "Deep")):
        rules = f"slots:\n  who: phrase:{phrase}\n  does: pos:VV\ngood: who does 了\nbad: does who 了\n"
        (folder / "paradigms" / "p" / f"{uid}.yaml").write_text(f"format: 1\nuid: {uid}\nphenomenon: p\n{rules}")
    done = run("export-classic", folder, "-o", "out")
    assert done.returncode == 1, done.stderr
    assert "depth" in done.stderr
    assert list(json.loads((tmp_path / "out" / "phrases.json").read_text("utf-8"))) == ["Plain"]
    back = ("--vocabulary", "out/vocabulary.tsv", "--phrases", "out/phrases.json", "-o", "back")
    assert run("import-classic", "out/templates", *back).returncode == 0
    assert [path.stem for path in (tmp_path / "back" / "paradigms").rglob("*.yaml")] == ["one"]
