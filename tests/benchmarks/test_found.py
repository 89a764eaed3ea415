"""A benchmark is found by name or path, as a folder, a zip or a package, and manifests say which one it was."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

import bidui
from bidui.benchmarks import FOLDERS
from bidui.errors import InputError
from bidui.files import OutputRefused
from bidui.web.server import Service, check_service
from tests.scores.small import Counting

PARADIGM = (
    "format: 1\nuid: {uid}\nphenomenon: {uid}s\nslots:\n  who: pos:NR\n  does: pos:VV\ngood: {good}\nbad: {bad}\n"
)
FILES = {
    "project.yaml": "format: 1\nname: tiny\nlang: zh\nlicence: CC BY 4.0\nrelations: {near: near.tsv}\n",
    "lexicon.tsv": "expression\tpos\n小明\tNR\n小红\tNR\n来\tVV\n走\tVV\n",
    "near.tsv": "from\tto\n",
    "phrases.yaml": "format: 1\nphrases:\n  Person: pos:NR\n",
    "paradigms/orders/order.yaml": PARADIGM.format(uid="order", good="who does 了 。", bad="does who 了 。"),
    "paradigms/drops/drop.yaml": PARADIGM.format(uid="drop", good="who does 了 。", bad="who 了 。"),
}


def write_files(folder: Path, files: dict[str, str] | None = None) -> Path:
    for name, text in (files or FILES).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return folder


def zip_files(path: Path, files: dict[str, str] | None = None, *, top: str = "") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (files or FILES).items():
            archive.writestr(top + name, text)
    return path


def install(site: Path, name: str, *, package: str, version: str, files: dict[str, str] | None = None) -> None:
    """Put a package where Python looks for it, with what pip writes about it."""
    write_files(
        site / package,
        {"__init__.py": "raise SystemExit('its code is not run')\n", **(FILES if files is None else files)},
    )
    about = {
        "METADATA": f"Metadata-Version: 2.1\nName: {package}-pairs\nVersion: {version}\n",
        "entry_points.txt": f"[bidui.benchmarks]\n{name} = {package}\n",
    }
    write_files(site / f"{package}_pairs-{version}.dist-info", about)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delenv(FOLDERS, raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def content_hash(files: dict[str, str]) -> str:
    """The hash of a benchmark, computed as the documentation says: of one line per file, sorted by name."""
    lines = [f"{name}\t{hashlib.sha256(text.encode()).hexdigest()}\n" for name, text in sorted(files.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def stored(file: Path) -> list[dict[str, str]]:
    benchmarks: list[dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))["benchmarks"]
    return benchmarks


def test_folder_zip_and_package_are_one_benchmark(site: Path, tmp_path: Path) -> None:
    """By hand: two names and two verbs give four pairs of `order`, and of `drop` two names, each with two verbs."""
    install(site, "tiny-bench", package="tiny_bench", version="2.5")
    sources = [write_files(tmp_path / "a"), zip_files(tmp_path / "b.zip"), zip_files(tmp_path / "c.zip", top="tiny/")]
    expected = bidui.generate(sources[0], n=4)
    assert len(expected) == 8
    for number, source in enumerate([*sources, "tiny-bench"]):
        assert list(bidui.generate(source, n=4)) == list(expected)
        bidui.generate_folder(source, out=tmp_path / str(number), n=4)
        version = "2.5" if source == "tiny-bench" else ""
        benchmark = {"name": "tiny", "version": version, "sha256": content_hash(FILES)}
        assert stored(tmp_path / str(number) / "manifest.json") == [benchmark]
        assert bidui.check(source, seconds=0) == bidui.check(sources[0], seconds=0)


def test_scores_say_which_benchmark_they_are_of(site: Path, tmp_path: Path) -> None:
    """Whether the pairs were made for scoring, or read from their folder."""
    source = write_files(tmp_path / "p", {**FILES, "project.yaml": FILES["project.yaml"] + "version: 1.1\n"})
    bidui.generate_folder(source, out=tmp_path / "pairs", n=2)
    for pairs in (source, tmp_path / "pairs"):
        scores = bidui.score(pairs, Counting(), out=tmp_path / pairs.name, n=2)
        (benchmark,) = stored(tmp_path / pairs.name / "counting" / "scores.json")
        assert (benchmark["name"], benchmark["version"]) == ("tiny", "1.1")
        assert benchmark == stored(tmp_path / "pairs" / "manifest.json")[0]
        assert bidui.read_scores(tmp_path / pairs.name).manifest == scores.manifest


def test_the_version_of_a_project_goes_before_that_of_its_package(site: Path) -> None:
    files = {**FILES, "project.yaml": FILES["project.yaml"] + "version: 7\n"}
    install(site, "tiny", package="tiny_bench", version="2.5", files=files)
    assert bidui.open_project("tiny").settings.version == "7"
    assert bidui.open_project("zhoblimp").settings.version == bidui.__version__


def test_a_name_that_two_packages_claim_is_refused(site: Path) -> None:
    """Either could be meant, and the numbers would differ without a word."""
    install(site, "tiny", package="one", version="1")
    install(site, "tiny", package="other", version="1")
    install(site, "zhoblimp", package="third", version="1")
    with pytest.raises(InputError, match="one-pairs, other-pairs"):
        bidui.generate("tiny")
    with pytest.raises(InputError, match="bidui, third-pairs"):
        bidui.open_project("zhoblimp")


def test_a_package_without_a_project_is_told_when_it_is_named(site: Path) -> None:
    install(site, "empty", package="empty", version="1", files={"notes.md": "soon"})
    with pytest.raises(InputError, match=r"empty-pairs offers a benchmark empty, .*no project.yaml"):
        bidui.open_project("empty")
    with pytest.raises(InputError, match=r"no benchmark, folder or zip nowhere; .*: .*empty, .*zhoblimp"):
        bidui.open_project("nowhere")


def test_a_folder_with_the_name_of_a_package_is_never_mistaken_for_it(site: Path, tmp_path: Path) -> None:
    """An author edits the folder, and the command would go on reading the installed copy."""
    install(site, "tiny", package="tiny_bench", version="1")
    write_files(Path("tiny"))
    with pytest.raises(InputError, match=r"`\./tiny`"):
        bidui.generate("tiny")
    assert len(bidui.generate("./tiny", n=1)) == len(bidui.generate(Path("tiny"), n=1)) == 2


def test_benchmarks_of_a_shared_folder_are_found_by_name(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "lab" / "folder")
    zip_files(tmp_path / "lab" / "zipped.zip")
    (tmp_path / "lab" / "pairs.csv").write_text("good,bad\n")
    monkeypatch.setenv(FOLDERS, str(tmp_path / "lab"))
    assert len(bidui.generate("folder", n=1)) == len(bidui.find_pairs("zipped", n=1)) == 2


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"notes.md": "", "a/b/project.yaml": "format: 1\n"}, r"no project in this zip .*a/b/project.yaml, notes.md"),
        ({**FILES, "../evil.yaml": "x"}, r"z\.zip/\.\./evil\.yaml: the name is invalid or points outside"),
        ({**FILES, "/etc/evil.yaml": "x"}, "evil.yaml: the name is invalid or points outside"),
        ({**FILES, "paradigms\\orders\\x.yaml": "x"}, "invalid or points outside"),
        ({**FILES, "lexicon/more.csv": "expression,pos\n"}, r"more\.csv: this file cannot be part of a project"),
        ({**FILES, "paradigms/orders/con.yaml": "x"}, r"con\.yaml: this file cannot be part of a project"),
        ({**FILES, "lexicon.tsv": "expression\tpos\n小明\tNR\n小明\tNR\n"}, r"lexicon\.tsv:3"),
    ],
)
def test_a_zip_that_is_no_project_or_plays_tricks_is_refused(
    site: Path, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    path = zip_files(tmp_path / "z.zip", files)
    with pytest.raises(InputError, match=message):
        bidui.open_project(path)
    assert list(Path.cwd().iterdir()) == []


def test_what_is_no_zip_is_told(site: Path, tmp_path: Path) -> None:
    (tmp_path / "z.zip").write_bytes(b"no zip")
    (tmp_path / "z.csv").write_text("good,bad\na,b\n")
    with pytest.raises(InputError, match=r"z\.zip: cannot be read as a zip file"):
        bidui.open_project(tmp_path / "z.zip")
    with pytest.raises(InputError, match=r"z\.csv: is neither a project folder nor a zip"):
        bidui.check(tmp_path / "z.csv")


def test_a_zip_of_pairs_is_still_read_as_pairs(site: Path, tmp_path: Path) -> None:
    path = zip_files(tmp_path / "blimp.zip", {"data/x.csv": "sentence_good,sentence_bad\na,b\n"})
    assert [(pair.good, pair.uid) for pair in bidui.find_pairs(path)] == [("a", "x")]


def test_a_derived_project_has_the_words_and_the_paradigms_that_were_chosen(site: Path, tmp_path: Path) -> None:
    """Nothing is written anew but the settings: comments and the order of rows stay as the authors wrote them."""
    source = zip_files(tmp_path / "tiny.zip", {**FILES, "card.md": "ten people", "human.tsv": "x"})
    chosen: dict[str, dict[str, object]] = {
        "bare": {},
        "globbed": {"only": "o*"},
        "grouped": {"phenomena": ["drops"]},
        "whole": {"only": "*"},
    }
    uids = {name: bidui.derive_project(source, out=name, **choice) for name, choice in chosen.items()}  # type: ignore[arg-type]
    assert uids == {"bare": (), "globbed": ("order",), "grouped": ("drop",), "whole": ("drop", "order")}
    for name, own in uids.items():
        paradigms = [f"paradigms/{uid}s/{uid}.yaml" for uid in own]
        written = {str(path.relative_to(name)) for path in Path(name).rglob("*") if path.is_file()}
        assert written == {"project.yaml", "lexicon.tsv", "near.tsv", "phrases.yaml", *paradigms}
        for file in written - {"project.yaml"}:
            assert Path(name, file).read_text(encoding="utf-8") == FILES[file]
        settings = bidui.open_project(f"./{name}").settings
        assert (settings.name, settings.licence, settings.relations) == (name, "CC BY 4.0", {"near": "near.tsv"})
        assert settings.derived_from == f"tiny sha256:{content_hash(FILES)}"
    assert [problem.kind for problem in bidui.check("./grouped", seconds=0) if "unused" in problem.kind] == []
    with pytest.raises(OutputRefused):
        bidui.derive_project(source, out="bare")
    with pytest.raises(InputError, match="no phenomenon verbs; it has: drops, orders"):
        bidui.derive_project(source, out="new", phenomena="verbs")
    with pytest.raises(InputError, match="zzz"):
        bidui.derive_project(source, out="new", only="zzz")
    assert not Path("new").exists()


def test_a_benchmark_is_not_served_but_copied_first(site: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bidui new my-zhoblimp --from zhoblimp --all"):
        check_service(Service(Path("zhoblimp")))
    with pytest.raises(InputError, match=r"bidui new my-tiny --from tiny\.zip --all"):
        check_service(Service(zip_files(Path("tiny.zip"))))
