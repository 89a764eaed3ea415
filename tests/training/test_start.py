"""A run made ready: what does not fit together is said before anything is learned."""

import shutil
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from bidui.errors import InputError
from bidui.training.build import build_corpus
from bidui.training.corpus import Corpus, read_corpus, verify_corpus
from bidui.training.recipe import Recipe, RunRecipe
from bidui.training.run import enough_memory, make_data, make_trainee, open_corpus
from bidui.training.tokenizers import save_tokenizer, train_char

CPU = torch.device("cpu")
TEXT = "甲乙丙丁戊己庚辛壬癸"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """640 tokens in shards of 256."""
    (tmp_path / "a.txt").write_text("\n".join([TEXT[:9]] * 64), encoding="utf-8")
    return build_corpus(
        tmp_path / "a.txt",
        train_char([TEXT + "\n"], least=1),
        out=tmp_path / "shards",
        bos="none",
        validation=0,
        shard_tokens=256,
    )


def other_tokenizer() -> PreTrainedTokenizerFast:
    """As many entries, in another order."""
    return train_char([TEXT[::-1] + "\n", TEXT[5:]], least=1)


def recipe(corpus: Corpus, tokens: int = 640) -> RunRecipe:
    return Recipe("14m", tokens=tokens, batch=4, context=16).on(corpus)


def test_a_shard_that_was_changed_is_not_learned_from(corpus: Corpus) -> None:
    """Its header is whole, and all ids are in the vocabulary: only the hash tells that this is another text."""
    file = corpus.folder / "train-00001.bin"
    data = bytearray(file.read_bytes())
    data[64] ^= 1
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"train-00001\.bin: was changed after it was written"):
        make_data(corpus, recipe(corpus))
    assert len(make_data(corpus, recipe(corpus, tokens=256)).train) == 16  # the first shard is all that is needed


def test_only_shards_that_are_learned_from_are_read(corpus: Corpus) -> None:
    """A small model on a large corpus should not wait until all of it is read."""
    (corpus.folder / "train-00002.bin").unlink()
    verify_corpus(corpus, tokens=512)
    with pytest.raises(InputError, match=r"train-00002\.bin"):
        verify_corpus(corpus, tokens=513)


def test_another_tokenizer_in_the_corpus_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    """The model would be saved with it, and every sentence scored as another one."""
    folder = corpus.folder / "tokenizer"
    shutil.rmtree(folder)
    save_tokenizer(other_tokenizer(), folder)
    chosen = recipe(corpus)
    with pytest.raises(InputError, match=r"tokenizer: is not the tokenizer that .*shards was encoded with"):
        make_trainee(chosen, corpus, make_data(corpus, chosen), device=CPU)


def test_a_corpus_without_its_tokenizer_is_broken(corpus: Corpus) -> None:
    """And nobody is asked for it over the network, under the name that its path looks like."""
    shutil.rmtree(corpus.folder / "tokenizer")
    chosen = recipe(corpus)
    with pytest.raises(InputError, match=r"tokenizer: cannot be read \(No such file or directory\)"):
        make_trainee(chosen, corpus, make_data(corpus, chosen), device=CPU)


def test_what_a_corpus_was_not_made_with_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    save_tokenizer(other_tokenizer(), tmp_path / "other")
    with pytest.raises(InputError, match=r"other: is not the tokenizer that .*shards was encoded with"):
        open_corpus(corpus.folder, tokenizer=str(tmp_path / "other"))
    with pytest.raises(InputError, match="was built with --bos none, not line"):
        open_corpus(corpus.folder, bos="line")
    own = str(corpus.folder / "tokenizer")
    assert open_corpus(corpus.folder, tokenizer=own, bos="none") == read_corpus(corpus.folder)


def test_no_rows_at_a_time_is_not_taken_for_the_usual_number(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="micro_batch: 0 is too small"):
        Recipe("14m", micro_batch=0).on(corpus)


def test_too_little_memory_is_said_with_what_can_be_done(corpus: Corpus) -> None:
    said = r"too little memory for 14m with 4 rows at a time \(CUDA out of memory"
    with pytest.raises(InputError, match=said), enough_memory(recipe(corpus)):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nMore.")


def test_a_size_is_known_before_anything_is_made(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="there is no size 15m; choose one of: 14m"):
        Recipe("15m").on(corpus)
