"""`bidui.train`: one call from text to a model and its accuracies."""

import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

import bidui
from bidui.errors import InputError, OutputRefused
from bidui.models.fingerprint import tokenizer_hash
from bidui.pairs import Pair, Pairs
from bidui.scores.run import read_totals
from bidui.scores.unigrams import Unigrams
from bidui.training.build import build_corpus
from bidui.training.corpus import Corpus, read_corpus, verify_corpus
from bidui.training.recipe import Recipe, RunRecipe
from bidui.training.run import check_pairs, enough_memory, make_data, make_trainee, open_corpus, score_milestone
from bidui.training.tokenizers import save_tokenizer, train_char
from tests.scores.small import pair
from tests.training import small

TEXT = "\n".join(f"第{number % 7}天{'猫狗牛鸟'[number % 4]}吃{'鱼肉草虫'[number % 4]}。\n" for number in range(200))


@pytest.fixture
def books(tmp_path: Path) -> Path:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "a.txt").write_text(TEXT, encoding="utf-8")
    save_tokenizer(train_char([TEXT], least=1), tmp_path / "tok")
    return tmp_path / "books"


def test_one_call_trains_scores_and_resumes(books: Path, tmp_path: Path) -> None:
    """7 days times 4 animals are 28 distinct lines of 7 characters and BOS: 224 tokens, 7 rows of 32, 3 steps of 2."""
    recipe = bidui.Recipe("14m", seed=1, batch=2, context=32, milestones="last")
    pairs = [pair("food", 0, "第1天猫吃鱼。", "第1天猫吃肉。"), pair("food", 1, "第2天狗吃肉。", "第2天狗吃草。")]
    options = {"corpus": books, "tokenizer": str(tmp_path / "tok"), "out": tmp_path / "runs", "score": pairs}
    run = bidui.train(recipe, **options)  # type: ignore[arg-type]
    assert run.new and run.folder == tmp_path / "runs" / "14m-all-1"
    assert (run.recipe.bos, run.recipe.mode, run.recipe.precision) == ("line", "eager", "float32")
    assert [path.name for path in run.checkpoints] == ["step-000000", f"step-{run.accuracies[-1].step:06d}"]
    assert run.frame.select("uid", "pairs").rows() == [("food", 2)] * 2
    assert repr(run) == f"TrainingRun of 14m in {run.folder}: 2 checkpoints"
    again = bidui.train(recipe, **options)  # type: ignore[arg-type]
    assert not again.new and again.accuracies == run.accuracies


def test_a_recipe_takes_numbers_as_people_write_them() -> None:
    assert bidui.Recipe("14m", tokens="10M").tokens == 10_000_000
    assert bidui.Recipe("14m", tokens="10M") == bidui.Recipe("14m", tokens=10_000_000)
    assert (bidui.Recipe("14m", tokens="1.5B", seed=2).name, bidui.Recipe("70m").name) == ("14m-1500M-2", "70m-all-0")
    with pytest.raises(InputError, match="ten is not a number of tokens"):
        bidui.Recipe("14m", tokens="ten")
    with pytest.raises(InputError, match="no size 15m"):
        bidui.Recipe("15m")


def test_what_is_not_set_suits_the_device(books: Path, tmp_path: Path) -> None:
    """On a GPU bf16, captured, all rows at once; on a CPU the greatest divisor of 48 rows up to 32, which is 24."""
    corpus = bidui.build_corpus(books, str(tmp_path / "tok"), out=tmp_path / "shards")
    recipe = bidui.Recipe("14m", batch=48)

    def chosen(made: RunRecipe) -> tuple[str, str, int]:
        return made.precision, made.mode, made.micro_batch

    assert chosen(recipe.on(corpus)) == ("float32", "eager", 24)
    assert chosen(recipe.on(corpus, gpu=True)) == ("bfloat16", "captured", 48)
    assert chosen(recipe.on(corpus, gpu=True, world=2)) == ("bfloat16", "compiled", 24)
    assert chosen(recipe.on(corpus, gpu=True, compiles=False)) == ("float32", "eager", 48)  # too old, or no Triton
    assert chosen(bidui.Recipe("lstm", batch=48).on(corpus, gpu=True)) == ("float32", "eager", 48)
    assert chosen(bidui.Recipe("14m", batch=48, deterministic=True).on(corpus, gpu=True)) == ("bfloat16", "eager", 48)


# A run made ready: what does not fit together is said before anything is learned.


CPU = torch.device("cpu")
START_TEXT = "甲乙丙丁戊己庚辛壬癸"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """640 tokens in shards of 256."""
    (tmp_path / "a.txt").write_text("\n".join([START_TEXT[:9]] * 64), encoding="utf-8")
    return build_corpus(
        tmp_path / "a.txt",
        train_char([START_TEXT + "\n"], least=1),
        out=tmp_path / "shards",
        bos="none",
        validation=0,
        shard_tokens=256,
    )


def other_tokenizer() -> PreTrainedTokenizerFast:
    """As many entries, in another order."""
    return train_char([START_TEXT[::-1] + "\n", START_TEXT[5:]], least=1)


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


# Validation: on a fixed sample of the rows that are held out.


@pytest.fixture
def lines(tmp_path: Path) -> Corpus:
    """3,000 documents of 15 characters and BOS: each is a row of 16, and by their hashes about 300 are held out."""
    (tmp_path / "lines.txt").write_text(
        "\n\n".join(f"第{n:04}天猫吃鱼狗吃肉牛吃草" for n in range(3000)), encoding="utf-8"
    )
    tokenizer = train_char(["第天猫吃鱼狗吃肉牛吃草0123456789\n"], least=1)
    return build_corpus(tmp_path / "lines.txt", tokenizer, out=tmp_path / "lines", validation=0.1)


def short(corpus: Corpus, out: Path, **options: object) -> tuple[bidui.TrainingRun, dict[str, object]]:
    """A run of two steps, and its record."""
    recipe = bidui.Recipe("14m", tokens=8 * 16, batch=4, context=16, milestones="last")
    run = bidui.train(recipe, corpus=corpus, out=out, **options)  # type: ignore[arg-type]
    return run, json.loads((run.folder / "run.json").read_text(encoding="utf-8"))


def test_the_validation_loss_is_that_of_a_fixed_sample(lines: Corpus, tmp_path: Path) -> None:
    """64 tokens are 4 rows: those that a plain loop over the same draw finds, at every checkpoint and seed."""
    run, record = short(lines, tmp_path / "runs", validation_tokens=64)
    there = lines.validation.documents
    assert (record["validation_rows"], record["held_out_rows"], record["validation_seed"]) == (4, there, 0)
    numbers = sorted(np.random.RandomState(0).permutation(there)[:4].tolist())
    held_out = np.memmap(lines.folder / "validation-00000.bin", "<u2", "r", 64).reshape(there, 16)
    folder = run.checkpoints[-1]
    network = AutoModelForCausalLM.from_pretrained(folder)
    losses = []
    for number in numbers:
        ids = torch.tensor(held_out[number].astype(np.int64))[None]
        with torch.no_grad():
            losses.append(float(network(input_ids=ids, labels=ids).loss))
    stored = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert stored["validation"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert stored["validation_rows"] == 4


@pytest.mark.parametrize(("tokens", "rows"), [(None, 2048), ("all", None), ("100K", None), (64, 4), ("0.08K", 5)])
def test_the_sample_is_at_most_what_is_held_out(
    lines: Corpus, tmp_path: Path, tokens: int | str | None, rows: int | None
) -> None:
    """32,768 tokens are 2,048 rows of 16, unless there are fewer."""
    there = lines.validation.documents
    _, record = short(lines, tmp_path / "runs", validation_tokens=tokens)
    assert record["validation_rows"] == min(rows or there, there)


def test_a_sample_smaller_than_a_row_is_refused(lines: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="validation_tokens: 15 is too small; use at least 16"):
        short(lines, tmp_path / "runs", validation_tokens=15)


def interrupt(corpus: Corpus, out: Path, **options: object) -> Path:
    """A run that is stopped after its first step."""

    def stop(step: int) -> None:
        if step == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(bidui.Interruption):
        short(corpus, out, events=bidui.RunEvents(on_step=stop), **options)
    return next(out.iterdir()) / "run.json"


def test_a_run_that_resumes_measures_what_it_measured_before(lines: Corpus, tmp_path: Path) -> None:
    interrupt(lines, tmp_path / "runs", validation_tokens=64)
    with pytest.raises(
        InputError, match=r"measures its validation loss on 4 rows, not on 5; leave out --validation-tok"
    ):
        short(lines, tmp_path / "runs", validation_tokens=80)
    run, record = short(lines, tmp_path / "runs")
    assert run.new and record["validation_rows"] == 4


def test_a_run_of_an_earlier_version_resumes_with_all_rows(lines: Corpus, tmp_path: Path) -> None:
    """It did not say what it measured, since that was all; half a curve of a sample would be of neither."""
    file = interrupt(lines, tmp_path / "runs", validation_tokens="all")
    record = json.loads(file.read_text(encoding="utf-8"))
    earlier = {name: record[name] for name in record if name not in ("validation_rows", "held_out_rows")}
    file.write_text(json.dumps(earlier))
    with pytest.raises(InputError, match="not on 4"):
        short(lines, tmp_path / "runs", validation_tokens=64)
    run, record = short(lines, tmp_path / "runs", validation_tokens="all")
    assert run.new and record["validation_rows"] == lines.validation.documents


# The table of a run's accuracies is of one set of pairs.


def pairs(*, count: int = 2, bad: str = "七") -> Pairs:
    return Pairs([Pair("一丁", bad, uid, "p", number) for uid in ("a", "b") for number in range(count)])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder in which the initial weights were scored."""
    score(tmp_path, seed=3)
    return tmp_path


def score(run: Path, *, seed: int) -> float:
    """The log-probability of a sentence, as it is in the scores afterwards."""
    model = small.trainee(small.recipe(seed=seed)).model("run@step-000000")
    unigrams = Unigrams(np.ones(small.VOCABULARY, np.int64), tokenizer_hash(small.tokenizer()))
    score_milestone(0, model, pairs(), run=run, unigrams=unigrams)
    _, table = read_totals(run / "scores" / "step-000000")
    return float(table.totals().logprob[0])


def test_the_same_pairs_may_be_scored_again(run: Path, tmp_path: Path) -> None:
    check_pairs(run, pairs())
    check_pairs(tmp_path / "nothing there", pairs(count=5))


@pytest.mark.parametrize("others", [pairs(count=3), pairs(bad="丁")])
def test_other_pairs_are_refused(run: Path, others: Pairs) -> None:
    """More of them, or others under the same names: what is in the table is no accuracy on these."""
    with pytest.raises(OutputRefused, match=r"accuracy\.tsv: .*the accuracies of 2 paradigms \(a"):
        check_pairs(run, others)


def test_no_pairs_at_all_are_refused_before_days_of_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no pairs to score the checkpoints on"):
        check_pairs(tmp_path, Pairs([]))


def test_weights_that_were_made_again_are_scored_again(run: Path) -> None:
    """After a resumption on a GPU the last bits are others, and a table of both would be of neither."""
    first, again, other = (score(run, seed=seed) for seed in (3, 3, 4))
    assert first == again != other


def test_without_scores_their_number_tells_pairs_apart(run: Path) -> None:
    for file in (run / "scores").rglob("*"):
        if file.is_file():
            file.unlink()
    check_pairs(run, pairs())
    with pytest.raises(OutputRefused):
        check_pairs(run, pairs(count=3))
