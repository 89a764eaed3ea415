"""LSTM language models: a tree of states gives what each sentence gets alone, over characters and over words."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from bidui.errors import InputError
from bidui.models import lstm
from bidui.models.conventions import Conventions
from bidui.models.lstm import LstmModel, LstmNetwork, LstmShape, Words, load_lstm, save_lstm
from bidui.models.specs import load_model, parse_spec
from tests.models.small import CHARACTERS, SPECIAL, saved, tokenizer
from tests.models.test_causal import SENTENCES

SIZE = len(SPECIAL) + len(CHARACTERS)
VOCABULARY = ("妈妈", "爸爸", "把", "书", "看", "完", "了", "。", "，", "我", "不", "很大", "在", "洗")


def network(*, size: int = SIZE, tied: bool = False, layers: int = 2, seed: int = 0) -> LstmNetwork:
    """Random weights, large enough that every token matters long after."""
    torch.manual_seed(seed)
    found = LstmNetwork(LstmShape(size, 24, 24, layers, tied=tied)).eval()
    for parameter in found.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return found


def words() -> PreTrainedTokenizerFast:
    vocabulary = {token: number for number, token in enumerate(("<unk>", "<eos>", *VOCABULARY))}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>", eos_token="<eos>")


def model(*, bos: int | None = 1, eos: int | None = None, batch_tokens: int = 4096, tied: bool = False) -> LstmModel:
    return LstmModel("m", network(tied=tied), tokenizer(), Conventions(bos, eos), {}, batch_tokens=batch_tokens)


def alone(net: LstmNetwork, ids: list[int]) -> list[float]:
    """The definition: log softmax at each position, one sentence at a time."""
    with torch.no_grad():
        logprobs = net(torch.tensor([ids]))[0][0].log_softmax(-1)
    return [float(logprobs[at, token]) for at, token in enumerate(ids[1:])]


def characters(sentence: str, *, bos: int | None = 1) -> list[int]:
    return ([] if bos is None else [bos]) + tokenizer().encode(sentence, add_special_tokens=False)


@pytest.mark.parametrize("tied", [False, True])
def test_scores_are_those_of_each_sentence_alone(tied: bool) -> None:
    found = list(model(tied=tied).score(SENTENCES))
    assert [scores.sentence for scores in found] == SENTENCES
    for scores in found:
        wanted = alone(network(tied=tied), characters(scores.sentence))
        assert np.allclose(scores.logprobs, wanted, rtol=0, atol=1e-5)
        assert scores.ends.tolist() == list(range(1, len(scores.sentence) + 1))


@pytest.mark.parametrize("logits", [1, 5 * SIZE, 2**25])
@pytest.mark.parametrize("batch_tokens", [1, 7, 16, 4096])
def test_scores_do_not_depend_on_batches_or_order(
    batch_tokens: int, logits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fits into memory, the numbers are the same."""
    monkeypatch.setattr(lstm, "LOGITS", logits)
    for scores in model(batch_tokens=batch_tokens).score(SENTENCES[::-1]):
        assert np.allclose(scores.logprobs, alone(network(), characters(scores.sentence)), rtol=0, atol=1e-5)


def test_many_random_sentences_are_scored_as_alone() -> None:
    """Three tokens and short sentences: nearly every beginning is shared, and some sentences begin others."""
    random = np.random.default_rng(0)
    sequences = [[1, *random.integers(8, 11, random.integers(0, 7)).tolist()] for _ in range(200)]
    for found, sequence in zip(model(batch_tokens=50).run(sequences), sequences, strict=True):
        assert np.allclose(found, alone(network(), sequence), rtol=0, atol=1e-5)


def test_what_sentences_share_is_run_once() -> None:
    shared, single = model(), model(batch_tokens=1)
    list(shared.score(SENTENCES))
    list(single.score(SENTENCES))
    beginnings = {(*"^", *s)[:end] for s in SENTENCES for end in range(1, len(s) + 1)}
    once = set(SENTENCES)  # the last token of a sentence is not run, but BOS is
    assert (shared.positions, single.positions) == (len(beginnings), sum(map(len, once)))


def test_the_head_runs_once_at_each_position() -> None:
    """The head is the most expensive part of a small network with a large vocabulary."""
    scored = model(batch_tokens=16)
    seen: list[int] = []
    scored.network.head.register_forward_hook(lambda _, inputs, __: seen.append(len(inputs[0])))
    list(scored.score(["妈妈很大。", "妈妈很大。", "妈妈很小。"]))
    # ^妈妈很 and what follows it: ^, 妈, 妈, 很, 大, 小
    assert sum(seen) == 6


def test_without_bos_the_first_token_has_no_score() -> None:
    found = list(model(bos=None).score(["妈妈很大。", "我", ""]))
    assert np.allclose(found[0].logprobs, alone(network(), characters("妈妈很大。", bos=None)), atol=1e-5)
    assert (found[0].starts.tolist(), found[0].ends.tolist()) == ([1, 2, 3, 4], [2, 3, 4, 5])
    assert (len(found[1]), len(found[2])) == (0, 0)


def test_eos_is_scored_when_asked_for() -> None:
    found = next(model(eos=2).score(["我很大"]))
    assert np.allclose(found.logprobs, alone(network(), [*characters("我很大"), 2]), atol=1e-5)
    assert (found.ids[-1], found.starts[-1], found.ends[-1]) == (2, 3, 3)


def test_long_sentences_are_not_cut() -> None:
    long = "我你他" * 400
    found = next(model(batch_tokens=64).score([long]))
    assert np.allclose(found.logprobs, alone(network(), characters(long)), rtol=0, atol=1e-5)
    assert len(found) == 1200


def test_a_network_in_training_is_scored_without_dropout_and_goes_on_training() -> None:
    """The trainer asks for scores between two steps."""
    scored = model()
    scored.network.train()
    found = next(scored.score(["妈妈很大。"]))
    assert np.allclose(found.logprobs, alone(network(), characters("妈妈很大。")), atol=1e-5)
    assert scored.network.training and scored.network.lstm.training


def test_scores_that_are_no_numbers_stop_the_run() -> None:
    broken = model()
    broken.network.head.weight.data.fill_(float("nan"))
    with pytest.raises(InputError, match="nan for token 1 of 妈妈很大。"):
        list(broken.score(["妈妈很大。"]))


def word_folder(folder: Path) -> Path:
    save_lstm(folder, network(size=len(VOCABULARY) + 2), words(), {"bos": "eos"}, words="jieba")
    return folder


def test_words_are_divided_by_jieba_and_looked_up(tmp_path: Path) -> None:
    """By hand: 妈妈 在 洗 苹果 。, where 苹果 is not in the vocabulary and the blank belongs to no word."""
    scored = load_lstm(word_folder(tmp_path))
    found = next(scored.score(["妈妈在 洗苹果。"]))
    texts = scored.token_texts(found.ids.tolist())
    assert [texts[number] for number in found.ids.tolist()] == ["妈妈", "在", "洗", "<unk>", "。"]
    assert scored.unknown(found.ids).tolist() == [False, False, False, True, False]
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 2, 4, 5, 7], [2, 3, 5, 7, 8])
    wanted = alone(network(size=len(VOCABULARY) + 2), [1, 2, 14, 15, 0, 9])
    assert np.allclose(found.logprobs, wanted, rtol=0, atol=1e-5)
    assert (scored.declared["bos"], scored.declared["words"]) == ("<eos>", "jieba 0.42.1")
    assert list(scored.score([])) == []


def test_words_share_beginnings_too(tmp_path: Path) -> None:
    scored = load_lstm(word_folder(tmp_path), batch_tokens=8)
    for found in scored.score(SENTENCES):
        assert np.allclose(found.logprobs, alone(scored.network, [1, *found.ids.tolist()]), rtol=0, atol=1e-5)


# Folders of LSTM language models: what is saved is what is loaded, and what is broken is named.


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
        (lambda folder: (folder / "model.safetensors").unlink(), "must contain model.safetensors"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "must contain tokenizer.json"),
        (lambda folder: (folder / "tokenizer_config.json").unlink(), "must contain tokenizer_config.json"),
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
