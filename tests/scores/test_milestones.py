"""Accuracy as alpha goes from LP to mean LP, counted at checkpoints and kept in a run's folder."""

from pathlib import Path

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.scores.links import Totals
from bidui.scores.milestones import ALPHA_FILE, ALPHAS, GROUPS, AlphaCount, alpha_counts, read_alphas, write_alphas


def totals(*sentences: tuple[float, int]) -> Totals:
    return Totals(np.array([lp for lp, _ in sentences]), np.array([length for _, length in sentences], np.float64))


def test_alpha_trades_the_longer_for_the_shorter() -> None:
    """By hand: -8 over 4 tokens against -6 over 2. LP prefers the second, mean LP (-2, -3) the first.

    They are equal where 8 / 4^a = 6 / 2^a, that is at 2^a = 4/3, a = 0.415.
    """
    good, bad = totals((-8, 4), (-6, 2), (-1, 3)), totals((-6, 2), (-8, 4), (-1, 3))
    found = alpha_counts(7, good=good, bad=bad)
    assert [count.alpha for count in found] == list(ALPHAS)
    assert {(count.step, count.pairs) for count in found} == {(7, (1, 1, 1))}
    by_alpha = {count.alpha: dict(zip(GROUPS, count.right, strict=True)) for count in found}
    assert by_alpha[0.0] == by_alpha[0.4] == {"equal": 0.5, "shorter": 1, "longer": 0}
    assert by_alpha[0.45] == by_alpha[1.0] == {"equal": 0.5, "shorter": 0, "longer": 1}


def test_a_table_keeps_what_was_counted_and_replaces_a_step(tmp_path: Path) -> None:
    first = AlphaCount(10, 0.05, (24651, 5331, 5418), (18244.5, 5181, 1248))
    old, new = AlphaCount(2, 0.5, (1, 2, 3), (0, 0, 0)), AlphaCount(2, 0.5, (1, 2, 3), (1, 1.5, 3))
    assert read_alphas(tmp_path) == []
    write_alphas(tmp_path, [first, old])
    write_alphas(tmp_path, [new])
    assert read_alphas(tmp_path) == [new, first]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("step\talpha\n", 1),
        ("HEAD\n1\t0.5\t1\t1\t1\t1\n", 2),
        ("HEAD\n1\t0.5\t1\t1\t1\t1\t1\tmany\n", 2),
        ("HEAD\n1\t0.5\t1\t1\t1\t1\t1.5\t1\n", 2),
    ],
)
def test_another_table_is_refused_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    write_alphas(tmp_path, [])
    head = (tmp_path / ALPHA_FILE).read_text().strip()
    (tmp_path / ALPHA_FILE).write_text(text.replace("HEAD", head))
    with pytest.raises(InputError) as caught:
        read_alphas(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.kind, problem.place.line) == ("milestones-unreadable", line)
