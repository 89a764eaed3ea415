"""LSTM models in training: first weights, dropout by the step, over characters and over words, and into a folder."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import BertGenerationTokenizer, PreTrainedTokenizerFast

from bidui.errors import InputError
from bidui.models.fingerprint import tokenizer_hash
from bidui.models.lstm import LstmNetwork, encode_words
from bidui.models.model import Model
from bidui.models.specs import load_model
from bidui.scores.unigrams import Unigrams, read_unigrams
from bidui.training.build import build_corpus, document_encoder, text_encoder
from bidui.training.loop import Interruption, Watch, train_network, validation_loss
from bidui.training.network import Trainee, make_lstm
from bidui.training.recipe import Recipe, RunRecipe
from bidui.training.run import make_data, make_trainee
from bidui.training.step import make_step
from bidui.training.tokenizers import load_tokenizer, save_tokenizer, train_jieba
from tests.training import small

CPU = torch.device("cpu")
LINES = ["妈妈在洗苹果。", "爸爸很喜欢看书。", "妈妈很喜欢苹果。", "爸爸在看书。"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums over another number of threads have other last bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def recipe(**changes: object) -> RunRecipe:
    return small.recipe(**{"size": "lstm", "milestones": "last", **changes})


def trainee(chosen: RunRecipe, *, bos: int | None = 1) -> Trainee:
    unigrams = Unigrams(np.ones(small.VOCABULARY, np.int64), tokenizer_hash(small.tokenizer()))
    return make_lstm(chosen, small.tokenizer(), unigrams, bos=bos, device=CPU)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def scores(model: Model, sentences: list[str]) -> list[list[float]]:
    return [found.logprobs.tolist() for found in model.score(sentences)]


def test_the_first_weights_are_uniform_and_a_function_of_the_seed() -> None:
    """Within 0.1 as in PyTorch's example, within 1 / sqrt(200) in the layers; a uniform deviation is its bound by
    the root of 3."""
    before = torch.get_rng_state()
    one, same, other = (trainee(recipe(seed=seed)).network for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert isinstance(one, LstmNetwork) and (one.shape.layers, one.shape.hidden, one.shape.dropout) == (2, 200, 0.2)
    for name, tensor in one.state_dict().items():
        twin, changed = same.state_dict()[name], other.state_dict()[name]
        assert torch.equal(tensor, twin)
        if name == "head.bias":
            assert not tensor.any()
            continue
        bound = 200**-0.5 if name.startswith("lstm.") else 0.1
        assert not torch.equal(tensor, changed)
        assert float(tensor.abs().max()) <= bound * (1 + 1e-6)
        assert float(tensor.std()) == pytest.approx(bound / 3**0.5, rel=0.05)


def test_it_learns_and_a_folder_scores_as_the_network_did(tmp_path: Path) -> None:
    chosen = recipe(epochs=4, peak=1e-2)
    made = trainee(chosen)
    train_network(chosen, small.data(), made, out=tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    first, last = (line["validation"] for line in lines if "validation" in line)
    assert first == pytest.approx(np.log(small.VOCABULARY), rel=0.02)
    assert last < 0.5 * first
    folder = tmp_path / "run" / "step-000100"
    loaded, here = load_model(f"lstm:{folder}"), made.model("run@step-000100")
    sentences = ["一丁七", "丁", "世丘丙"]
    assert scores(loaded, sentences) == scores(here, sentences)
    assert [len(found) for found in scores(loaded, sentences)] == [3, 1, 3]  # BOS is before them
    assert (loaded.name, loaded.declared) == (here.name, here.declared)
    assert loaded.declared["bos_rule"] == "declared by the model"
    assert made.network.training
    found = read_unigrams(folder / "unigrams.json", tokenizer=str(loaded.declared["tokenizer"]))
    assert found.counts.tolist() == [1] * small.VOCABULARY


def test_without_bos_the_folder_says_so(tmp_path: Path) -> None:
    trainee(recipe(), bos=None).save(tmp_path)
    assert load_model(f"lstm:{tmp_path}").declared["first_token"] is False


def test_validation_and_scores_have_no_dropout() -> None:
    made = trainee(recipe())
    assert made.network.training
    rows = small.data().validation
    first = validation_loss(made, rows, recipe=recipe())
    with torch.no_grad():
        made.network.eval()
        logits, _ = made.network(torch.from_numpy(rows.astype(np.int64)))
        made.network.train()
    chosen = logits[:, :-1].log_softmax(-1).gather(2, torch.from_numpy(rows[:, 1:, None].astype(np.int64)))
    assert first == pytest.approx(-float(chosen.mean()), rel=1e-6)
    assert validation_loss(made, rows, recipe=recipe()) == first
    assert scores(made.model("m"), ["一丁"]) == scores(made.model("m"), ["一丁"])


def outputs(seed: int, *, rank: int = 0, **changes: object) -> list[float]:
    """What the head is given for each part of a step, whose rows are all the same; one number each."""
    chosen = recipe(**changes)
    made = trainee(chosen)
    seen: list[float] = []

    def watched(tokens: torch.Tensor) -> torch.Tensor:
        found = made.hidden(tokens)
        seen.append(float(found.detach().sum()))
        return found

    rows = small.data().train[[0, 0, 0, 0]]
    step = make_step(made.network, watched, made.head, rows=rows, recipe=chosen, rank=rank)
    step.run(np.arange(4 // chosen.world), rate=0.0, seed=seed)
    return seen


def test_dropout_is_a_function_of_the_step_and_of_the_part() -> None:
    """A resumed run drops what the whole one did, whatever drew random numbers before; parts do not drop the same."""
    torch.manual_seed(0)
    first = outputs(5)
    torch.manual_seed(1)
    assert outputs(5) == first
    assert len({*first, *outputs(6)}) == 4


def test_dropout_does_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda tensor: None)
    assert [*outputs(5, world=2), *outputs(5, world=2, rank=1)] == outputs(5)


def test_a_stopped_run_ends_with_the_same_bits(tmp_path: Path) -> None:
    chosen = recipe()
    train_network(chosen, small.data(), trainee(chosen), out=tmp_path / "whole")
    stop = Watch(log_every=7, on_log=lambda progress: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(Interruption):
        train_network(chosen, small.data(), trainee(chosen), out=tmp_path / "run", watch=stop)
    torch.manual_seed(99)
    train_network(chosen, small.data(), trainee(chosen), out=tmp_path / "run")
    one, other = (weights(tmp_path / name / "step-000025") for name in ("whole", "run"))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("changes", [{"mode": "captured"}, {"mode": "compiled"}, {"precision": "bfloat16"}])
def test_only_eager_and_float32_are_allowed(changes: dict[str, object]) -> None:
    with pytest.raises(InputError, match="an LSTM is trained in eager mode and float32"):
        recipe(**changes)


def test_a_tokenizer_without_a_file_of_its_own_is_refused() -> None:
    slow = BertGenerationTokenizer.__new__(BertGenerationTokenizer)
    with pytest.raises(InputError, match="which a BertGenerationTokenizer does not have"):
        make_lstm(recipe(), slow, trainee(recipe()).unigrams, bos=1, device=CPU)


def test_words_of_jieba_are_numbered_by_frequency() -> None:
    """By hand, over 妈妈 在 洗 苹果 。 and so on: 。 occurs four times, the others twice, 洗 once; then by code point.

    喜欢 U+559C, 在 U+5728, 妈妈 U+5988, 很 U+5F88, 爸爸 U+7238, 看书 U+770B, 苹果 U+82F9.
    """
    made = train_jieba(LINES, least=2)
    expected = ["<unk>", "<s>", "</s>", "<pad>", "\n", "。", "喜欢", "在", "妈妈", "很", "爸爸", "看书", "苹果"]
    assert made.convert_ids_to_tokens(list(range(len(made)))) == expected
    assert train_jieba(LINES[::-1], least=2).get_vocab() == made.get_vocab()
    small_one = train_jieba(LINES, size=8, least=2)
    assert small_one.convert_ids_to_tokens(list(range(len(small_one)))) == expected[:8]


def test_a_saved_tokenizer_of_words_is_one_after_loading(tmp_path: Path) -> None:
    """By hand: 妈妈 在 洗 苹果 。, where 洗 is too rare; a newline only between lines; blanks are nothing."""
    save_tokenizer(train_jieba(LINES, least=2), tmp_path / "tok")
    loaded = load_tokenizer(tmp_path / "tok")
    assert isinstance(loaded, PreTrainedTokenizerFast)
    ids, lengths = text_encoder(loaded)(["妈妈 在洗苹果。\n爸爸", "", "\n看书\n"])
    assert ids.tolist() == [8, 7, 0, 12, 5, 4, 10, 4, 11, 4]
    assert lengths.tolist() == [7, 0, 3]
    assert encode_words(loaded, ["妈妈 在洗苹果。"])[0].ids == [8, 7, 0, 12, 5]  # what scoring looks up
    assert document_encoder(loaded, bos="line")(["爸爸\n看书"])[0].tolist() == [1, 10, 1, 11]


def test_an_lstm_over_words_from_text_to_scores(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(f"{line}{other}" for line in LINES for other in LINES if line != other), encoding="utf-8")
    corpus = build_corpus(text, train_jieba(LINES, least=1), out=tmp_path / "corpus", validation=0)
    chosen = Recipe("lstm", batch=2, context=8, milestones="last").on(corpus)
    assert (chosen.mode, chosen.precision) == ("eager", "float32")
    data = make_data(corpus, chosen)
    made = make_trainee(chosen, corpus, data, device=CPU)
    train_network(chosen, data, made, out=tmp_path / "run")
    folder = max((tmp_path / "run").glob("step-*"))
    loaded = load_model(str(folder))
    assert loaded.declared["words"] == "jieba 0.42.1"
    (found,) = loaded.score(["妈妈很喜欢看书。"])
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 2, 3, 5, 7], [2, 3, 5, 7, 8])
    assert scores(loaded, LINES) == scores(made.model("m"), LINES)
    log = (tmp_path / "run" / "log.jsonl").read_text(encoding="utf-8")
    assert '"validation": null' in log and "NaN" not in log  # there is no validation text
    # The words are jieba's, which a Zh-Pythia loaded by transformers could not find again.
    wrong = Recipe("14m", batch=2, context=8).on(corpus)
    with pytest.raises(InputError, match="looks up words found by jieba, which 14m cannot do"):
        make_trainee(wrong, corpus, data, device=CPU)
