"""The runs of a suite as tasks: what is asked of `bidui train`, and what is refused before it is called."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from bidui.errors import InputError, OutputRefused
from bidui.scale.workers import Needs
from bidui.training.build import build_corpus
from bidui.training.corpus import Bos, Corpus
from bidui.training.recipe import Recipe
from bidui.training.suite import Suite, SuiteRun, SuiteTokenizer
from bidui.training.suite_runs import (
    RunProgress,
    open_corpora,
    preparations,
    run_needs,
    run_progress,
    suite_tasks,
    suite_vocabularies,
    suite_workers,
)
from bidui.training.tokenizers import save_tokenizer, train_char, train_word

TEXT = "甲乙丙丁戊己庚辛壬癸"
RUN = SuiteRun("14m", "char", 640, 3)


def corpus_of(folder: Path, *, tokens: int = 640, bos: Bos = "none") -> Corpus:
    """So many tokens: lines of nine characters and the line end, one document."""
    (folder / "a.txt").write_text("\n".join([TEXT[:9]] * (tokens // 10)), encoding="utf-8")
    return build_corpus(
        folder / "a.txt", train_char([TEXT + "\n"], least=1), out=folder / "shards", bos=bos, validation=0
    )


def test_each_run_is_one_call_of_train(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path)
    options = ["--batch", "4"]
    (task,) = suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs", device="mps", options=options)
    assert task.name == "14m-640-char-3"
    asked = task.command[task.command.index("train") :]
    assert asked[:2] == ("train", "14m")
    assert dict(zip(asked[2::2], asked[3::2], strict=True)) == {
        "--corpus": str(tmp_path / "shards"),
        "--tokens": "640",
        "--seed": "3",
        "--score": "later",
        "--out": str(tmp_path / "runs"),
        "--name": "14m-640-char-3",
        "--device": "mps",
        "--batch": "4",
    }


def test_a_run_is_done_when_it_is_finished_and_scored_if_asked(tmp_path: Path) -> None:
    """Trained first and scored later is as good as both at once."""
    corpora = {"char": corpus_of(tmp_path)}
    (plain,) = suite_tasks([RUN], corpora, out=tmp_path)
    (scored,) = suite_tasks([RUN], corpora, out=tmp_path, score="pairs")
    folder = tmp_path / RUN.name
    (folder / "step-000010").mkdir(parents=True)
    (folder / "step-000010" / "training.json").write_text("{}")
    assert (plain.done(), scored.done()) == (False, False)
    (folder / "finished.json").write_text("{}")
    assert (plain.done(), scored.done()) == (True, False)
    (folder / "accuracy.tsv").write_text("step\tuid\tphenomenon\tpairs\tlp\n10\tx\ty\t2\t1\n")
    assert (plain.done(), scored.done()) == (True, True)
    (folder / "accuracy.tsv").write_text("no table")
    assert (plain.done(), scored.done()) == (True, False)


def test_all_that_lacks_is_reported_together(tmp_path: Path) -> None:
    """66 runs that fail one by one, the last after days, are what this is against."""
    corpus_of(tmp_path)
    runs = [SuiteRun("14m", name, tokens, 0) for name in ("cllama", "word", "char") for tokens in (640, 641)]
    with pytest.raises(InputError) as raised:
        open_corpora(runs, {"char": tmp_path / "shards", "word": tmp_path})
    assert str(raised.value).splitlines() == [
        "some runs use the tokenizer cllama, but there is no corpus for it; give `--corpus cllama=FOLDER`, or text with"
        " --text if the tokenizer can be made from it, or choose other tokenizers with --tokenizer",
        f"{tmp_path}: contains no corpus; build one with bidui corpus build",
        f"{tmp_path / 'shards'}: 641 tokens were requested, but train has only 640; request fewer,"
        " or build the corpus from more text",
    ]


def test_a_corpus_with_enough_is_opened(tmp_path: Path) -> None:
    """With a BOS in every row of 64, 640 tokens of text make ten rows, and ten more of BOS."""
    made = corpus_of(tmp_path, bos="row")
    assert open_corpora([RUN], {"char": tmp_path / "shards"}) == {"char": made}


def test_the_run_of_another_corpus_is_refused_though_it_is_finished(tmp_path: Path) -> None:
    """Else it would be taken for done, and the table would show the accuracies of another text."""
    corpus = corpus_of(tmp_path)
    folder = tmp_path / "runs" / RUN.name
    folder.mkdir(parents=True)
    there = asdict(Recipe("14m", tokens=640, seed=3).on(corpus))
    (folder / "recipe.json").write_text(json.dumps(there))
    assert len(suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs")) == 1
    (folder / "recipe.json").write_text(json.dumps({**there, "corpus": "old"}))
    with pytest.raises(OutputRefused, match=rf"different settings: corpus \(old, now {corpus.hash[:12]}\)"):
        suite_tasks([RUN], {"char": corpus}, out=tmp_path / "runs")


def test_a_finished_run_with_other_settings_is_not_taken_for_that_of_the_suite(tmp_path: Path) -> None:
    """Settings come from the suite or from options of `bidui train`, which win."""
    corpus = corpus_of(tmp_path)
    folder = tmp_path / "runs" / RUN.name
    folder.mkdir(parents=True)
    (folder / "recipe.json").write_text(json.dumps(asdict(Recipe("14m", tokens=640, seed=3, batch=4).on(corpus))))
    corpora, out = {"char": corpus}, tmp_path / "runs"
    four, eight = (Suite((RUN,), {}, {"batch": batch, "peak": 6e-4}) for batch in (4, 8))
    assert len(suite_tasks(four, corpora, out=out)) == 1
    assert len(suite_tasks([RUN], corpora, out=out, options=["--keep", "last", "--batch=4"])) == 1
    assert len(suite_tasks(eight, corpora, out=out, options=["--batch", "4"])) == 1
    with pytest.raises(OutputRefused, match=r"different settings: batch \(4, now 8\)"):
        suite_tasks(eight, corpora, out=out)
    with pytest.raises(OutputRefused, match=r"different settings: batch \(4, now 256\)"):
        suite_tasks([RUN], corpora, out=out)


def test_the_settings_of_a_suite_are_options_of_train(tmp_path: Path) -> None:
    suite = Suite((RUN,), {}, {"optimizer": "pythia", "batch": 4}, keep="last", n=20)
    (task,) = suite_tasks(suite, {"char": corpus_of(tmp_path)}, out=tmp_path / "runs", score="pairs", options=["-x"])
    assert task.command[-9:] == ("--recipe", "pythia", "--batch", "4", "--keep", "last", "-n", "20", "-x")


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (SuiteTokenizer("char"), ""),
        (SuiteTokenizer("char", vocabulary=15), ""),
        (SuiteTokenizer(source="tok"), ""),
        (SuiteTokenizer("char", vocabulary=16), "has a vocabulary of 15, but the tokenizer char has 16 entries"),
        (SuiteTokenizer("word"), "has no tokens of several Chinese characters, but char is of the kind word"),
        (SuiteTokenizer(source="other"), "was not encoded with the tokenizer char: the hash of its vocabulary is"),
        (SuiteTokenizer(hash="0" * 64), "the hash of its vocabulary is .*, not 000000000000"),
    ],
)
def test_a_corpus_must_have_the_tokenizer_that_its_name_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: SuiteTokenizer, message: str
) -> None:
    """Ten characters, the line end and four special tokens; the other tokenizer has two of them exchanged."""
    monkeypatch.chdir(tmp_path)
    corpus_of(tmp_path)
    save_tokenizer(train_char([TEXT + "\n"], least=1), tmp_path / "tok")
    save_tokenizer(train_char([TEXT + "\n" + TEXT[1]], least=1), tmp_path / "other")
    suite = Suite((RUN,), {"char": tokenizer})
    if not message:
        assert open_corpora(suite, {"char": tmp_path / "shards"})["char"].vocabulary == 15
        return
    with pytest.raises(InputError, match=message):
        open_corpora(suite, {"char": tmp_path / "shards"})
    with pytest.raises(InputError, match=message):
        suite_vocabularies(suite, {"char": tmp_path / "shards"})


def test_words_are_no_characters(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("甲乙丙丁" * 400, encoding="utf-8")
    build_corpus(tmp_path / "a.txt", train_word(["甲乙丙丁" * 9], size=12, least=1), out=tmp_path / "s", validation=0)
    runs = (SuiteRun("14m", "char", 64, 0),)
    assert open_corpora(Suite(runs, {"char": SuiteTokenizer("word")}), {"char": tmp_path / "s"})
    with pytest.raises(InputError, match=r"has \d tokens of several Chinese characters, but char is of the kind char"):
        open_corpora(Suite(runs, {"char": SuiteTokenizer("char")}), {"char": tmp_path / "s"})


def test_the_suite_of_the_paper_takes_no_other_corpus_for_cllama(tmp_path: Path) -> None:
    """Until now the name was believed, and 60 runs would have been those of another tokenizer."""
    corpus_of(tmp_path)
    with pytest.raises(InputError, match="has a vocabulary of 15, but the tokenizer cllama has 49953 entries"):
        open_corpora([SuiteRun("14m", "cllama", 640, 0)], {"cllama": tmp_path / "shards"})


def test_missing_corpora_are_made_by_the_commands_that_make_them(tmp_path: Path) -> None:
    """A tokenizer is trained if it has a kind, and then the corpus built with it; one with a corpus needs neither."""
    (tmp_path / "a.txt").write_text("甲乙丙\n", encoding="utf-8")
    names = ("char", "word", "mine", "there")
    kinds = (SuiteTokenizer("char", least=2), SuiteTokenizer("word", size=50), SuiteTokenizer(source="gpt2"))
    suite = Suite(
        tuple(SuiteRun("14m", name, 64, 0) for name in names),
        dict(zip(names, (*kinds, SuiteTokenizer("char")), strict=True)),
    )
    trained, built = preparations(suite, {"there": tmp_path}, text=tmp_path / "a.txt", out=tmp_path / "runs")
    asked = [task.command[task.command.index("bidui") + 1 :] for task in (*trained, *built)]
    text, out = str(tmp_path / "a.txt"), str(tmp_path / "runs" / "corpora")
    char, word = f"{out}/char-tokenizer-char-2", f"{out}/word-tokenizer-word-8-50"
    assert asked == [
        ("tokenizer", "train", "char", "--corpus", text, "--out", char, "--least", "2"),
        ("tokenizer", "train", "word", "--corpus", text, "--out", word, "--least", "8", "--size", "50"),
        ("corpus", "build", text, "--tokenizer", char, "--out", f"{out}/char"),
        ("corpus", "build", text, "--tokenizer", word, "--out", f"{out}/word"),
        ("corpus", "build", text, "--tokenizer", "gpt2", "--out", f"{out}/mine"),
    ]


def test_a_corpus_of_other_text_is_not_taken_for_that_of_this_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("甲乙丙\n" * 20, encoding="utf-8")
    suite = Suite((SuiteRun("14m", "char", 64, 0),), {"char": SuiteTokenizer("char")})
    build_corpus(tmp_path / "a.txt", train_char(["甲乙丙\n"], least=1), out=tmp_path / "corpora" / "char", validation=0)
    _, (task,) = preparations(suite, {}, text=tmp_path / "a.txt", out=tmp_path)
    assert task.done()
    (tmp_path / "a.txt").write_text("甲\n", encoding="utf-8")
    with pytest.raises(OutputRefused, match=r"corpus made with different settings: a\.txt"):
        preparations(suite, {}, text=tmp_path / "a.txt", out=tmp_path)


def test_progress_is_read_from_what_a_run_writes(tmp_path: Path) -> None:
    """590 steps of 64 tokens at 128 tokens per second are left after step 20: 295 seconds."""
    assert run_progress(tmp_path) == RunProgress()
    (tmp_path / "run.json").write_text('{"steps": 610, "tokens_per_step": 64}')
    assert run_progress(tmp_path) == RunProgress(0, 610)
    lines = ['{"step": 10, "tokens_per_second": 64.0}', '{"step": 20, "tokens_per_second": 128.0}', '{"step": 3']
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    assert run_progress(tmp_path) == RunProgress(20, 610, 128.0, 295.0)
    (tmp_path / "log.jsonl").write_text("\n".join([lines[0]] * 1000 + lines[1:]))  # of which the end is read
    assert run_progress(tmp_path) == RunProgress(20, 610, 128.0, 295.0)


def test_the_longest_runs_come_first_and_say_what_they_need(tmp_path: Path) -> None:
    """14M with 15 tokens has 1,189,888 + 2 x 15 x 128 parameters, at 20 bytes, and a gigabyte to spare."""
    corpora = {"char": corpus_of(tmp_path)}
    runs = [SuiteRun("14m", "char", 320, 0), SuiteRun("14m", "char", 640, 0), SuiteRun("70m", "char", 320, 0)]
    tasks = suite_tasks(runs, corpora, out=tmp_path / "runs", gpus={"70m": 4})
    assert [task.name for task in tasks] == ["70m-320-char-0", "14m-640-char-0", "14m-320-char-0"]
    assert tasks[0].command[1:8] == ("-P", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4", "-m")
    parameters = 6 * (12 * 128**2 + 13 * 128) + 2 * 128 + 2 * 15 * 128
    assert run_needs(runs[0], 15) == Needs(1.0, memory=20 * parameters + 2**30)
    assert run_needs(runs[0], 15, gpus=2) == Needs(2.0, memory=2 * (20 * parameters + 2**30))
    assert run_needs(runs[0], 15, device="cuda", memory=80 << 30) == Needs(1.0, 0.125)
    assert run_needs(SuiteRun("1.4b", "cllama", 640, 0), 49_953, device="cuda", memory=80 << 30).gpus == 0.375
    assert run_needs(runs[0], 15, device="cuda", gpus=4, memory=80 << 30) == Needs(4.0, 4.0)


def test_processes_take_turns_at_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models do not fill a GPU, so there may be more processes than GPUs."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert suite_workers("cpu", processes=2) == [{}, {}]
    assert suite_workers("cuda:1", processes=1) == [{}]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    gpus = [worker["CUDA_VISIBLE_DEVICES"] for worker in suite_workers("cuda", processes=3)]
    assert gpus == ["0", "1", "0"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, GPU-8a")
    gpus = [worker["CUDA_VISIBLE_DEVICES"] for worker in suite_workers("cuda", processes=3)]
    assert gpus == ["3", "GPU-8a", "3"]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(InputError, match="torch finds no GPU"):
        suite_workers("cuda", processes=1)
