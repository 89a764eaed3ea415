"""`bidui.train`: one call from text to a model and its accuracies."""

from pathlib import Path

import pytest

import bidui
from bidui.errors import InputError
from bidui.training.recipe import RunRecipe
from bidui.training.tokenizers import save_tokenizer, train_char
from tests.scores.small import pair

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
    with pytest.raises(InputError, match="ten is no"):
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
    assert chosen(bidui.Recipe("lstm", batch=48).on(corpus, gpu=True)) == ("float32", "eager", 48)
    assert chosen(bidui.Recipe("14m", batch=48, deterministic=True).on(corpus, gpu=True)) == ("bfloat16", "eager", 48)
