"""Folders at URLs, on files and on a real S3 server: what is done here gets there, and what is there comes here."""

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import bidui
from bidui.errors import InputError
from bidui.scale.storage import fetched, inner_path, is_remote, open_folder, url_of
from bidui.scores import run as scoring
from tests.scale.small import files_of, pairs_of, write_arpa

pytest.importorskip("fsspec", reason="fsspec is not installed: nothing is tested at URLs; install bidui[cluster]")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are: a machine of its own."""
    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("s3://bucket/runs/", "s3://bucket/runs"),
        (Path("s3://bucket/runs"), "s3://bucket/runs"),  # pathlib makes one slash of two
        ("file:///data/x", "file:///data/x"),
        (Path("file:///data/x"), "file:///data/x"),
        ("gs://b", "gs://b"),
        ("runs/a:b", ""),
        ("/data/runs", ""),
        ("C:/Users/x", ""),
        ("c:\\\\runs", ""),
        ("hf:runs/x", ""),
        ("", ""),
    ],
)
def test_urls_are_told_from_paths(path: str | Path, url: str) -> None:
    assert url_of(path) == url
    assert is_remote(path) is bool(url)
    assert inner_path(path, "x") == (f"{url}/x" if url else str(Path(path) / "x"))


def test_a_folder_on_a_disk_is_itself(tmp_path: Path) -> None:
    folder = open_folder(tmp_path)
    folder.pull()
    folder.push()
    assert (folder.path, folder.url, fetched(tmp_path)) == (tmp_path, "", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_changes_go_both_ways_and_what_is_gone_goes(tmp_path: Path, cache: Path) -> None:
    there = tmp_path / "there" / "runs"
    there.mkdir(parents=True)
    (there / "a").write_text("1")
    url = f"file://{there}"
    copy = open_folder(url)
    assert copy.path.name == "runs" and cache in copy.path.parents
    copy.pull()
    assert files_of(copy.path) == {"a": b"1"}
    (copy.path / "b").mkdir()
    (copy.path / "b" / "c").write_text("2")
    (copy.path / "a").unlink()
    (copy.path / ".lock").write_text("mine")  # of this machine
    copy.push()
    assert files_of(there) == {"b/c": b"2"}
    (there / "b" / "c").write_text("33")
    (there / "d").write_text("4")
    open_folder(url).pull()
    assert files_of(copy.path) == {"b/c": b"33", "d": b"4", ".lock": b"mine"}
    (there / "d").unlink()
    inner = open_folder(url).inner("b")
    assert inner.has("c") and not inner.has("d")
    inner.pull()  # only what is in it
    assert files_of(copy.path).keys() == {"b/c", "d", ".lock"}
    open_folder(url).pull(lambda name: name == "d")
    assert files_of(copy.path).keys() == {"b/c", ".lock"}


def test_who_looks_does_not_change_the_copy_of_who_is_at_work(tmp_path: Path, cache: Path) -> None:
    """A run that is under way on this machine has a newer log than the storage."""
    url = f"file://{tmp_path}/there/runs/r"
    work = open_folder(url)
    work.path.mkdir(parents=True)
    (work.path / "run.json").write_text('{"steps": 30, "tokens_per_step": 4}')
    (work.path / "log.jsonl").write_text('{"step": 10}\n')
    work.push()
    (work.path / "log.jsonl").write_text('{"step": 10}\n{"step": 20}\n')
    assert bidui.run_progress(url).step == 10
    assert (work.path / "log.jsonl").read_text() == '{"step": 10}\n{"step": 20}\n'
    work.push()
    assert bidui.run_progress(url).step == 20
    assert work.path.parts[-2:] == ("runs", "r")


def test_patterns_match_urls(tmp_path: Path, cache: Path) -> None:
    for step in (9, 10):
        (tmp_path / "r" / f"step-{step}").mkdir(parents=True)
    specs = bidui.expand_specs(f"hf:file://{tmp_path}/r/step-*")
    assert specs == [f"hf:file://{tmp_path}/r/step-{step}" for step in (9, 10)]
    with pytest.raises(InputError, match=r"no-\*"):
        bidui.expand_specs(f"hf:file://{tmp_path}/r/no-*")


def test_what_says_that_a_run_is_done_is_sent_last(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine that sees it takes the rest to be there."""
    from fsspec.implementations.local import LocalFileSystem

    sent: list[str] = []
    monkeypatch.setattr(LocalFileSystem, "put_file", lambda self, file, *rest, **more: sent.append(Path(file).name))
    monkeypatch.setattr(LocalFileSystem, "info", lambda self, *rest, **more: {"size": 1, "type": "file"})
    copy = open_folder(f"file://{tmp_path}/there")
    copy.path.mkdir(parents=True)
    names = ["finished.json", "state.pt", "model.safetensors", "log.jsonl", "accuracy.tsv"]
    for name in names:
        (copy.path / name).write_text(name)
    copy.push()
    assert sent == ["accuracy.tsv", "model.safetensors", "log.jsonl", "state.pt", "finished.json"]
    copy.push()
    assert len(sent) == 5  # nothing has changed


def test_storage_that_cannot_be_reached_is_an_error_with_the_url(cache: Path) -> None:
    with pytest.raises(InputError, match="nosuch://bucket/x: cannot be read or written: Protocol not known: nosuch"):
        fetched("nosuch://bucket/x")


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of an S3 server on this machine."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: nothing is tested on S3; see tests/s3.txt")
    server_module = pytest.importorskip("moto.server", reason="moto is not installed: nothing is tested on S3")
    import fsspec
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, server_module.DomainDispatcherApplication(server_module.create_backend_app))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        fsspec.filesystem("s3").mkdir("bidui-tests")
        yield "s3://bidui-tests"
        server.shutdown()
        thread.join()


def test_scores_on_s3_are_those_on_a_disk_and_resume_on_another_machine(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first machine dies in the middle; the second has no copy of anything, and scores the rest."""
    monkeypatch.setattr(scoring, "TOGETHER", 40)
    monkeypatch.setattr(scoring, "PAUSE", -1.0)
    spec, pairs = write_arpa(tmp_path / "tiny.arpa"), pairs_of(4, 50)
    bidui.score(pairs, spec, out=tmp_path / "disk")
    seen: list[str] = []

    def die(uid: str, count: int) -> None:
        seen.append(uid)
        if len(seen) == 5:
            raise KeyboardInterrupt

    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "first"))
    with pytest.raises(KeyboardInterrupt):
        bidui.score(pairs, spec, out=f"{bucket}/results", on_paradigm=die)
    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "second"))
    scores = bidui.score(pairs, spec, out=Path(f"{bucket}/results"))
    assert scores.kept == ("p0",)  # and a part of p1, which is not scored again
    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "third"))
    disk, s3 = files_of(tmp_path / "disk"), files_of(fetched(f"{bucket}/results"))
    assert disk.keys() == s3.keys() == {"tiny/scores.json", *(f"tiny/p{number}.parquet" for number in range(4))}
    assert [name for name in disk if disk[name] != s3[name]] == ["tiny/scores.json"]
    manifests = [json.loads(files["tiny/scores.json"]) for files in (disk, s3)]
    assert manifests[0] == {**manifests[1], "source": "../tiny.arpa"}  # a path leads nowhere from a bucket
    on_disk, on_s3 = bidui.compare(tmp_path / "disk"), bidui.compare(f"{bucket}/results")
    assert on_s3.frame.equals(on_disk.frame)
    assert bidui.read_scores(f"{bucket}/results").frame.equals(bidui.read_scores(tmp_path / "disk").frame)


def test_pairs_go_to_s3_and_come_from_there(bucket: str, tmp_path: Path, cache: Path) -> None:
    bidui.new_project(tmp_path / "project", lang="zh")
    for out in (tmp_path / "pairs", f"{bucket}/pairs"):
        bidui.generate_folder(tmp_path / "project", out=out, n=3)
    assert list(bidui.open_pairs(f"{bucket}/pairs")) == list(bidui.open_pairs(tmp_path / "pairs"))
    again = bidui.generate_folder(tmp_path / "project", out=f"{bucket}/pairs", n=3)
    assert again.outcome == "unchanged"


@pytest.mark.slow
def test_a_run_on_s3_resumes_on_another_machine_with_the_bytes_of_one_run(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted after a state was saved; corpus and run are on S3, and so is the model that is scored."""
    from bidui.training.build import build_corpus
    from bidui.training.tokenizers import train_char

    text = "甲乙丙丁戊己庚辛壬癸"
    (tmp_path / "a.txt").write_text("\n".join([text[:9]] * 64), encoding="utf-8")
    shards = build_corpus(
        tmp_path / "a.txt", train_char([text + "\n"], least=1), out=tmp_path / "shards", bos="none", validation=0
    ).folder
    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "first"))
    corpus = open_folder(f"{bucket}/shards")
    for name, data in files_of(shards).items():
        (corpus.path / name).parent.mkdir(parents=True, exist_ok=True)
        (corpus.path / name).write_bytes(data)
    corpus.push()
    run = bidui.SuiteRun("14m", "char", 640, 0)
    settings = {"batch": 4, "context": 16, "milestones": "geometric:3"}
    recipe = bidui.Recipe("14m", tokens=640, batch=4, context=16, milestones="geometric:3")
    bidui.train(recipe, corpus=shards, out=tmp_path / "disk", name=run.name)

    def stop(step: int) -> None:
        if step == 5:
            os.kill(os.getpid(), 15)  # which lets the run save its state

    with pytest.raises(bidui.Interruption):
        events = bidui.RunEvents(on_step=stop)
        bidui.train(recipe, corpus=f"{bucket}/shards", out=f"{bucket}/runs", name=run.name, events=events)
    monkeypatch.setenv("BIDUI_CACHE", str(tmp_path / "second"))
    steps: list[int] = []
    events = bidui.RunEvents(on_step=steps.append)
    bidui.train(recipe, corpus=f"{bucket}/shards", out=f"{bucket}/runs", name=run.name, events=events)
    assert steps[0] == 5
    disk, s3 = files_of(tmp_path / "disk" / run.name), files_of(fetched(f"{bucket}/runs/{run.name}"))
    assert {name for name in s3 if name != ".lock"} == {name for name in disk if name != ".lock"}
    assert [name for name in disk if name.startswith("step-") and s3[name] != disk[name]] == []
    scores = bidui.score([("甲乙", "乙甲")], f"hf:{bucket}/runs/{run.name}/step-000010")
    alone = bidui.score([("甲乙", "乙甲")], f"hf:{tmp_path}/disk/{run.name}/step-000010")
    assert scores.frame.equals(alone.frame)
    assert scores.model == f"{run.name}@step-000010"
    suite = bidui.Suite((run,), {"char": bidui.SuiteTokenizer("char")}, settings)
    (outcome,) = bidui.run_suite(suite, {"char": f"{bucket}/shards"}, out=f"{bucket}/runs")
    assert outcome.state == "there"
    with pytest.raises(bidui.OutputRefused, match=r"batch \(4, now 8\)"):
        bidui.run_suite(replace(suite, settings={**settings, "batch": 8}), {"char": shards}, out=f"{bucket}/runs")
