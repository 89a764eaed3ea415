"""N-gram models, written-down scores, and specs."""

import json
import sys
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from math import log
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.models.given import load_given
from bidui.models.ngram import large_arpa, load_ngram
from bidui.models.specs import expand_specs, load_model, model_hint, parse_spec
from bidui.training.ngram import FALLBACK, train_ngram_on

ARPA = """\\data\\
ngram 1=6
ngram 2=3

\\1-grams:
-9\t<unk>
-99\t<s>\t-0.5
-1\t</s>
-0.7\t我\t-0.2
-0.8\t茶
-0.9\t喝茶

\\2-grams:
-0.3\t<s> 我
-0.4\t我 茶
-0.6\t茶 </s>

\\end\\
"""


@pytest.fixture(params=["kenlm", "without"])
def arpa(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model, which is read by KenLM where it is installed, and without it."""
    if request.param == "kenlm":
        pytest.importorskip("kenlm", reason="kenlm is not installed")
    else:
        monkeypatch.setitem(sys.modules, "kenlm", None)
    file = tmp_path / "small.arpa"
    file.write_text(ARPA, encoding="utf-8")
    return file


def test_ngram_scores_are_those_of_the_table_in_natural_logarithms(arpa: Path) -> None:
    """By hand: p(我|<s>) = 10^-0.3, p(茶|我) = 10^-0.4; 我 after 茶 backs off without weight to 10^-0.7."""
    model = load_ngram(arpa)
    found = next(model.score(["我茶我"]))
    assert np.allclose(found.logprobs, [-0.3 * log(10), -0.4 * log(10), -0.7 * log(10)], atol=1e-5)
    assert model.declared["bos"] == "<s>"


@pytest.mark.parametrize(("boundaries", "order"), [(True, 2), (False, 3), (True, 4)])
def test_arpa_files_give_the_same_bits_without_kenlm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boundaries: bool, order: int
) -> None:
    """A machine without a compiler must not publish other numbers than one with it."""
    pytest.importorskip("kenlm", reason="kenlm is not installed")
    draw = Random(order)
    text = ["".join(draw.choices("甲乙丙丁戊己", (9, 5, 3, 2, 1, 1), k=draw.randint(1, 9))) for _ in range(300)]
    train_ngram_on(text, tmp_path / "m.arpa.gz", order=order, fallback=FALLBACK)
    asked = ["".join(draw.choices("甲乙丙丁戊己庚", k=draw.randint(1, 12))) for _ in range(200)]
    model = load_ngram(tmp_path / "m.arpa.gz", boundaries=boundaries)
    theirs = [(scores.logprobs.tolist(), model.unknown(scores.ids).tolist()) for scores in model.score(asked)]
    monkeypatch.setitem(sys.modules, "kenlm", None)
    model = load_ngram(tmp_path / "m.arpa.gz", boundaries=boundaries)
    assert [(s.logprobs.tolist(), model.unknown(s.ids).tolist()) for s in model.score(asked)] == theirs
    assert "庚" not in model.model and "甲" in model.model and "<unk>" not in model.model


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-0.7\t我\t-0.2", "-0.7", r"small\.arpa:9: this is not an ARPA file that can be read: 1 fields"),
        ("-0.7\t我", "much\t我", "small\\.arpa:9: .*much"),
        ("ngram 2=3", "ngram 2=4", "3 2-grams, but the head says 4"),
        ("\\end\\", "", r"no \\data\\ or no \\end\\"),
    ],
)
def test_a_broken_arpa_file_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    assert old in ARPA
    (tmp_path / "small.arpa").write_text(ARPA.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_ngram(tmp_path / "small.arpa")


def test_only_binary_files_need_kenlm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    (tmp_path / "m.binary").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(InputError, match=r"kenlm is not installed; install bidui\[ngram\]"):
        load_ngram(tmp_path / "m.binary")


def test_a_large_arpa_file_comes_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without KenLM it takes ten times the memory, which a first user only sees as a command that does not end."""
    file = tmp_path / "m.arpa"
    file.write_text(ARPA, encoding="utf-8")
    assert large_arpa(file) is None and large_arpa(tmp_path / "none.arpa") is None
    with file.open("r+b") as opened:
        opened.truncate(123_000_000)  # without taking up the space
    monkeypatch.setitem(sys.modules, "kenlm", None)
    note = str(model_hint(f"ngram:{file}?unit=word"))
    assert "123 MB" in note and "`bidui[ngram]`" in note and "--prune 0 0 1" in note
    monkeypatch.setitem(sys.modules, "kenlm", ModuleType("kenlm"))
    monkeypatch.setattr(sys.modules["kenlm"], "__spec__", ModuleSpec("kenlm", None))
    assert large_arpa(file) is None


def test_words_between_blanks_are_units(tmp_path: Path) -> None:
    """German words may be longer than any that `lexicon` looks for; punctuation is a unit of its own."""
    train_ngram_on(
        ["Die Straßenbahnhaltestelle ist da."] * 3, tmp_path / "m.arpa", order=2, unit="word", fallback=FALLBACK
    )
    model = load_ngram(tmp_path / "m.arpa", unit="word")
    found = next(model.score(["Die Straßenbahnhaltestelle ist weg."]))
    texts = model.token_texts(found.ids.tolist())
    assert [texts[n] for n in found.ids.tolist()] == ["Die", "Straßenbahnhaltestelle", "ist", "weg", "."]
    assert model.unknown(found.ids).tolist() == [False, False, False, True, False]


def test_loading_says_nothing(arpa: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """KenLM would draw a progress bar into the middle of ours."""
    load_ngram(arpa)
    assert capfd.readouterr() == ("", "")


def test_without_boundaries_the_first_word_is_predicted_from_nothing(arpa: Path) -> None:
    found = next(load_ngram(arpa, boundaries=False).score(["我茶"]))
    assert np.allclose(found.logprobs, [-0.7 * log(10), -0.4 * log(10)], atol=1e-5)


def test_a_models_own_lexicon_divides_by_its_longest_words(arpa: Path) -> None:
    model = load_ngram(arpa, unit="lexicon")
    found = next(model.score(["我喝茶喝"]))
    texts = model.token_texts(found.ids.tolist())
    assert [texts[n] for n in found.ids.tolist()] == ["我", "喝茶", "喝"]
    assert model.unknown(found.ids).tolist() == [False, False, True]
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 1, 3], [1, 3, 4])


def test_scores_of_words_depend_on_the_version_of_jieba(arpa: Path) -> None:
    assert load_ngram(arpa, unit="jieba").declared["words"] == f"jieba {version('jieba')}"
    assert "words" not in load_ngram(arpa).declared


def test_a_broken_or_missing_ngram_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.arpa").write_text("not an arpa file\n")
    with pytest.raises(InputError, match=r"KenLM cannot read|not an ARPA file"):
        load_ngram(tmp_path / "bad.arpa")
    with pytest.raises(InputError, match="no such file"):
        load_ngram(tmp_path / "none.arpa")


def given_file(folder: Path, *lines: object) -> Path:
    file = folder / "scores.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return file


def test_written_down_scores_are_given_back(tmp_path: Path) -> None:
    file = given_file(tmp_path, {"sentence": "我喝茶", "tokens": ["我", "喝茶"], "logprobs": [-1.0, -2.5]})
    found = next(load_given(file).score(["我喝茶"]))
    assert (found.logprob, found.ends.tolist()) == (-3.5, [1, 3])
    with pytest.raises(InputError, match="他喝茶"):
        list(load_given(file).score(["他喝茶"]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "a line must be"),
        ({"sentence": "我", "tokens": ["我"]}, "a line must be"),
        ({"sentence": "我", "tokens": ["你"], "logprobs": [-1]}, "do not spell"),
        ({"sentence": "我", "tokens": ["我"], "logprobs": [-1, -2]}, "1 token but 2"),
        ({"sentence": "我", "tokens": ["我"], "logprobs": [float("nan")]}, "nan"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_given(given_file(tmp_path, line))


def test_specs_say_what_they_mean(tmp_path: Path, arpa: Path) -> None:
    assert (parse_spec("hf:a/b@main").name, parse_spec("hf:a/b@main").revision) == ("a/b", "main")
    assert parse_spec("runs/step-10").kind == "hf"
    assert parse_spec("x.arpa?unit=jieba").options == {"unit": "jieba"}
    assert load_model(str(arpa)).declared["kind"] == "ngram"
    for number in (10, 9):
        (tmp_path / "runs" / f"step-{number}").mkdir(parents=True)
    found = expand_specs([f"hf:{tmp_path}/runs/step-*?kind=causal"])
    assert found == [f"hf:{tmp_path}/runs/step-{number}?kind=causal" for number in (9, 10)]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hf:a?knd=causal", "no option `knd`"),
        ("hf:a?kind=big", "big is not allowed"),
        ("hf:", "does not name a model"),
        ("api:http://x", "must name the model"),
        ("ngram:a?unit=sentence", "sentence is not allowed"),
    ],
)
def test_a_spec_that_makes_no_sense_is_an_error(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_model(spec)
