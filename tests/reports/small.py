"""Small folders of results: scores by a model that can be worked out in the head, and runs with made-up counts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bidui.pairs import Pairs
from bidui.scores.milestones import Milestone, write_milestones
from bidui.scores.run import run_scoring
from tests.scores.small import Counting, pair

TOKENS = 1000  # a step
FACTS = {"parameters": 1_000_000, "steps": 400, "tokens_per_step": TOKENS}
RECIPE: dict[str, object] = {"size": "1m", "corpus": "c", "tokens": 400_000, "seed": 0, "epochs": 1, "peak": 0.001}

# By `Counting`, 甲 is -1, 乙 -2, 丙 -3. LP chooses right, a tie, wrong; the first two pairs are D=, the third D>.
PAIRS = Pairs(
    (
        pair("u", 0, "甲甲", "甲乙", phenomenon="p"),
        pair("u", 1, "甲乙", "乙甲", phenomenon="p"),
        pair("v", 0, "甲甲甲甲", "丙", phenomenon="q"),
    )
)


def write_scores(folder: Path, *, name: str = "counting", pairs: Pairs = PAIRS) -> None:
    """A folder of scores, named as the model."""
    run_scoring(pairs, Counting(name), out=folder / name)


def write_run(
    folder: Path,
    counts: Mapping[int, Sequence[float]],
    *,
    pairs: int = 100,
    links: Sequence[str] = ("slln:0.5",),
    recipe: Mapping[str, object] | None = None,
    facts: Mapping[str, int] | None = None,
    uids: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """A run whose checkpoints got so many pairs right, of paradigm a and so on, in phenomena p and q by turns.

    `uids` are other paradigms, with their phenomena and numbers of pairs.
    """
    known = uids or {uid: ("pq"[number % 2], pairs) for number, uid in enumerate("abcdefgh")}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.json").write_text(json.dumps({**RECIPE, **(recipe or {})}), encoding="utf-8")
    (folder / "run.json").write_text(json.dumps({**FACTS, **(facts or {})}), encoding="utf-8")
    milestones = [
        Milestone(step, uid, *known[uid], dict.fromkeys(links, float(right)))
        for step, rights in counts.items()
        for uid, right in zip(known, rights, strict=False)
    ]
    write_milestones(folder, milestones)
