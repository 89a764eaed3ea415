"""The model that comes with bidui: it loads offline, knows some Chinese, and is what its card says."""

import json
import re
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM

from bidui.benchmarks import generate, open_project
from bidui.errors import InputError
from bidui.models.model import Model
from bidui.models.specs import DEFAULT, SHIPPED, load_model, model_labels, parse_spec, path_labels
from bidui.pairs import Pairs
from bidui.scores.choices import choose
from bidui.scores.links import mean_lp, slor
from bidui.scores.run import score
from bidui.scores.unigrams import read_unigrams

FOLDER = SHIPPED / "zh-14m-char"


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(DEFAULT)


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Forty pairs of every tenth paradigm."""
    every = [paradigm.uid for paradigm in open_project("zhoblimp").paradigms if paradigm.status == "included"]
    return generate("zhoblimp", n=40, seed=0, only=every[::10])


def test_it_is_named_and_declared(model: Model) -> None:
    assert model.name == "zh-14m-char"
    assert model.declared["bos"] == "<s>"
    assert model.declared["bos_rule"] == "declared by the model"


def test_it_has_the_size_it_may_have_and_its_card_says() -> None:
    network = AutoModelForCausalLM.from_pretrained(FOLDER)
    count = sum(parameter.numel() for parameter in network.parameters())
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    assert f"{count:,}" in card
    assert f"{network.config.vocab_size:,}" in card
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 12_000_000
    training = json.loads((FOLDER / "training.json").read_text(encoding="utf-8"))
    assert f"{training['validation_per_character']:.3f} nats per character" in card
    assert f"{training['step']:,} steps" in card


def test_it_prefers_the_good_sentence(model: Model, pairs: Pairs) -> None:
    """Far above chance; not the figure of the card, which is that of all paradigms."""
    table = score(pairs, model).table
    assert choose(table, mean_lp()).worth.mean() > 0.7
    unigrams = read_unigrams(FOLDER / "unigrams.json", tokenizer=str(model.declared["tokenizer"]))
    assert choose(table, slor(), unigrams=unigrams.logprobs(smoothing=1.0)).worth.mean() > 0.65


def test_few_choices_turn_in_bfloat16(model: Model, pairs: Pairs) -> None:
    """Which turn is known: those whose sides are nearly alike. Scores in 16 bits are declared as such."""
    exact = choose(score(pairs, model).table, mean_lp())
    rough_model = load_model(DEFAULT, dtype="bfloat16")
    assert rough_model.declared["dtype"] == "bfloat16"
    rough = choose(score(pairs, rough_model).table, mean_lp())
    turned = exact.worth != rough.worth
    assert 0 < turned.sum() < 0.05 * len(turned)
    apart = abs(exact.good - exact.bad)
    assert apart[turned].max() < 0.1  # nats a token; half of all pairs are further apart
    assert (apart > 0.1).mean() > 0.5


def test_the_card_has_a_row_for_every_phenomenon() -> None:
    rows = re.findall(r"^\| (\w+) \| (\d+) \|", (FOLDER / "card.md").read_text(encoding="utf-8"), re.MULTILINE)
    paradigms = [paradigm for paradigm in open_project("zhoblimp").paradigms if paradigm.status == "included"]
    counts = {name: str(sum(p.phenomenon == name for p in paradigms)) for name in {p.phenomenon for p in paradigms}}
    assert dict(rows) == {**counts, "all": "118"}


def test_a_model_that_does_not_come_with_bidui_is_an_error() -> None:
    with pytest.raises(InputError, match="zh-14m-char"):
        parse_spec("bidui:zh-1t")
    assert Path(parse_spec(DEFAULT).name) == FOLDER


def test_characters_are_looked_up_as_the_tokenizer_divides_them(model: Model) -> None:
    """The quick way for tokenizers of kind `char` is only quick."""
    from bidui.models.causal import CausalModel
    from bidui.models.tokenize import encode, encode_flat

    assert isinstance(model, CausalModel)
    sentences = ["他喝了三杯茶。", "毽子", "", "a 𠮷\n吗？"]
    flat, each = encode_flat(model.tokenizer, sentences), encode(model.tokenizer, sentences)
    assert flat.ids.tolist() == [token for found in each for token in found.ids]
    assert flat.spans.tolist() == [span for found in each for span in found.spans.tolist()]
    assert flat.bounds.tolist() == [0, 7, 9, 9, 15]


def test_models_of_one_name_are_labelled_by_their_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--model 'runs/*/final'` gave them all one name, and with --force one folder."""
    monkeypatch.chdir(tmp_path)
    for folder in ("runs/a/final", "runs/b/final", "old/a/final", "runs/c/other", "runs/a/step-5", "runs/b/step-5"):
        Path(folder).mkdir(parents=True)
        if folder.endswith("5"):
            Path(folder, "training.json").write_text("{}")
    assert model_labels(["hf:runs/a/final", "runs/c/other", "hf:org/final"]) == [None, None, None]
    assert model_labels(["hf:runs/a/final", "runs/b/final"]) == ["a--final", "b--final"]
    assert model_labels(["runs/a/final", "old/a/final"]) == ["runs--a--final", "old--a--final"]
    assert model_labels(["runs/a/step-5", "runs/b/step-5"]) == [None, None]  # their names have the runs already
    assert path_labels("runs/a/step-5", "a@step-5")[:2] == ["a@step-5", "runs--a@step-5"]
    with pytest.raises(
        InputError, match=r"same model with different options, and both would be called final; give each"
    ):
        model_labels(["hf:runs/a/final", "hf:runs/a/final?kind=masked"])


def test_a_run_is_not_a_model_but_its_checkpoints_are(tmp_path: Path) -> None:
    """People ask for runs/a or runs/a/final; without the hint, transformers looks for such a name on the hub."""
    for step in ("step-000002", "step-000012"):
        (tmp_path / "a" / step).mkdir(parents=True)
    (tmp_path / "a" / "recipe.json").write_text("{}")
    last = re.escape(str(tmp_path / "a" / "step-000012"))
    with pytest.raises(
        InputError, match=rf"this is a training run.*the last is {last}, and '.*step-\*' stands for all"
    ):
        load_model(f"hf:{tmp_path / 'a'}")
    with pytest.raises(
        InputError, match=f"no such checkpoint; those of this run are called step-…, and the last is {last}"
    ):
        load_model(tmp_path / "a" / "final")
