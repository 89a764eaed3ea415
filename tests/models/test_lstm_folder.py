"""Folders of LSTM language models: what is saved is what is loaded, and what is broken is named."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from bidui.errors import InputError
from bidui.models.lstm import LstmShape, Words, load_lstm, save_lstm
from bidui.models.specs import load_model, parse_spec
from tests.models.small import saved, tokenizer
from tests.models.test_lstm import SIZE, alone, characters, network, word_folder


@pytest.mark.parametrize("tied", [False, True])
def test_a_saved_network_is_the_same_when_loaded(tmp_path: Path, tied: bool) -> None:
    save_lstm(tmp_path / "a", network(tied=tied, layers=1), tokenizer(), {"bos": "bos"})
    again = load_lstm(tmp_path / "a")
    assert again.network.shape == LstmShape(SIZE, 24, 24, 1, tied=tied)
    assert (again.network.head.weight is again.network.embedding.weight) == tied
    found = next(again.score(["妈妈很大。"]))
    assert np.allclose(found.logprobs, alone(network(tied=tied, layers=1), characters("妈妈很大。")), atol=1e-5)
    save_lstm(tmp_path / "b", again.network, again.tokenizer, {"bos": "bos"})  # type: ignore[arg-type]
    for file in ("lstm.json", "model.safetensors", "bidui.json", "tokenizer.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_folder_declares_everything_scores_depend_on(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b/a", 0), ("c", 1)):
        save_lstm(tmp_path / name, network(seed=seed), tokenizer(), {"bos": "bos"})
    first, again, other = (load_model(f"lstm:{tmp_path / name}") for name in ("a", "b/a", "c"))
    wanted = {"kind": "lstm", "dtype": "float32", "bos": "<s>", "eos": False, "first_token": True, "words": None}
    assert wanted.items() <= first.declared.items()
    assert first.declared == again.declared
    assert first.declared["weights"] != other.declared["weights"]
    assert first.declared["tokenizer"] == other.declared["tokenizer"]
    assert load_lstm(tmp_path / "a", bos="none").declared["first_token"] is False
    half = load_lstm(tmp_path / "a", dtype="bfloat16")
    assert (half.network.embedding.weight.dtype, half.declared["dtype"]) == (torch.bfloat16, "bfloat16")
    assert np.allclose(next(iter(half.score(["妈"]))).logprobs, next(iter(first.score(["妈"]))).logprobs, atol=0.2)


def test_loading_leaves_the_seed_alone(tmp_path: Path) -> None:
    """A trainer that looks at an old checkpoint must not train otherwise afterwards."""
    save_lstm(tmp_path, network(), tokenizer(), {})
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    load_lstm(tmp_path)
    assert torch.equal(torch.rand(1), wanted)


def test_a_folder_with_an_lstm_is_known_without_its_kind(tmp_path: Path) -> None:
    word_folder(tmp_path / "lstm")
    assert parse_spec(str(tmp_path / "lstm")).kind == "lstm"
    assert parse_spec(str(saved(tmp_path / "hf", "gpt2"))).kind == "hf"
    assert load_model(str(tmp_path / "lstm")).name == "lstm"
    with pytest.raises(InputError, match="no option `words`"):
        load_model(f"lstm:{tmp_path}/lstm?words=jieba")


def change(**fields: object) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        file = folder / "lstm.json"
        found = json.loads(file.read_text("utf-8")) | fields
        file.write_text(json.dumps({name: value for name, value in found.items() if value != "gone"}), "utf-8")

    return changed


def write(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(content, "utf-8") and None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "lstm.json").unlink(), "must contain lstm.json"),
        (lambda folder: (folder / "model.safetensors").unlink(), "needs model.safetensors"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "needs tokenizer.json"),
        (lambda folder: (folder / "tokenizer_config.json").unlink(), "needs tokenizer_config.json"),
        (write("lstm.json", "{"), "lstm.json: cannot be read"),
        (write("lstm.json", "[]"), "lstm.json: cannot be read: not an object"),
        (write("model.safetensors", "nothing"), "model.safetensors: cannot be read"),
        (write("tokenizer.json", "{"), "tokenizer of the model cannot be loaded"),
        (write("bidui.json", "{"), "bidui.json: cannot be read"),
        (change(format=2), "another format than 1"),
        (change(hidden="gone", depth=3), "missing: hidden; unknown fields: depth"),
        (change(words="spaces"), "lstm.json words: spaces is not a word segmenter"),
        (change(hidden=0), "lstm.json hidden: must be a whole number above 0, not 0"),
        (change(layers=True), "lstm.json layers: must be a whole number above 0, not True"),
        (change(dropout=1), "lstm.json dropout: must be at least 0 and below 1, not 1"),
        (change(tied="no"), "lstm.json tied: must be true or false, not no"),
        (change(tied=True, hidden=25), r"hidden units \(25\) must equal the number of embedding dimensions \(24\)"),
        (change(vocabulary=SIZE + 1), f"the tokenizer has {SIZE} tokens, but the network has {SIZE + 1}"),
        (change(hidden=25), rf"head.weight has the shape \({SIZE}, 24\), but lstm.json requires \({SIZE}, 25\)"),
        (change(layers=3), r"lstm.bias_hh_l2 has the shape \(\), but lstm.json requires \(96,\)"),
        (change(layers=1), r"lstm.bias_hh_l1 has the shape \(96,\), but lstm.json requires \(\)"),
    ],
)
def test_a_broken_folder_is_a_clear_error(tmp_path: Path, spoil: Callable[[Path], None], message: str) -> None:
    save_lstm(tmp_path, network(), tokenizer(), {"bos": "bos"})
    spoil(tmp_path)
    with pytest.raises(InputError, match=message):
        load_model(f"lstm:{tmp_path}")


def test_arguments_that_do_not_fit_are_clear_errors(tmp_path: Path) -> None:
    save_lstm(tmp_path, network(), tokenizer(eos=False), {"bos": "bos"})
    for arguments, message in (
        ({"bos": "4096"}, "no 4096 token"),
        ({"eos": True}, "no EOS"),
        ({"dtype": "float33"}, "float33"),
        ({"device": "toaster"}, "toaster cannot be used"),
    ):
        with pytest.raises(InputError, match=message):
            load_lstm(tmp_path, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "division", "message"),
    [(SIZE + 2, None, f"{SIZE} tokens, but the network has {SIZE + 2}"), (SIZE, "jieba", "no unknown token")],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, size: int, division: Words | None, message: str) -> None:
    """Better to learn it at the first checkpoint than after the training."""
    given = tokenizer()
    given.unk_token = None if division else given.unk_token
    with pytest.raises(InputError, match=message):
        save_lstm(tmp_path / "new", network(size=size), given, {}, words=division)
    assert not (tmp_path / "new").exists()
