"""Baselines: pairs whose sides are both good, which show a bias, and the paradigms read against them (SLING, 5.4).

In "the male baker likes him / her" nothing decides, so a model without bias chooses each side as often: 50 per cent is
neutral, and more is no better. "The male baker likes himself / herself" tests what the model knows, but a bias towards
the male answers it as well; what counts is how far the accuracy rises above that of the baseline.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.intervals import newcombe
from bidui.analysis.significance import sign_test
from bidui.errors import fail
from bidui.scores.choices import Choices

# SLING's test paradigms and the baselines that they are made from (appendix D.2), by the names of the released files.
SLING_BASELINES: Mapping[str, str] = {
    "self_male": "baseline_male",
    "self_female": "baseline_female",
    "pp_male": "baseline_male",
    "pp_female": "baseline_female",
    "cl_self_male": "baseline_cl_male",
    "cl_self_female": "baseline_cl_female",
    "menself_male": "baseline_men_male",
    "menself_female": "baseline_men_female",
    "cl_men_self_male": "baseline_cl_men_male",
    "cl_men_self_female": "baseline_cl_men_female",
}


@dataclass(frozen=True, slots=True)
class Bias:
    """How much more often one side is chosen than the other: 0 is neutral, 1 always the good side, -1 never.

    The good side of a baseline is the one that the test paradigm has for good. SLING gives the accuracy itself, with
    50 per cent as neutral; this is twice its distance from there.
    """

    value: float
    low: float
    high: float
    p: float  # of the exact test that both sides are as likely; ties are left out

    @property
    def strength(self) -> float:
        """The bias without its direction, from 0 to 1."""
        return abs(self.value)


@dataclass(frozen=True, slots=True)
class Reading:
    """A test paradigm beside its baseline."""

    test: Accuracy
    baseline: Accuracy
    bias: Bias
    gain: float  # the accuracy of the test less that of the baseline
    low: float  # of an interval of 95 per cent (Newcombe's, as of independent pairs)
    high: float

    @property
    def favoured(self) -> bool:
        """Whether the bias alone already leads to the good side, so that the accuracy by itself shows nothing."""
        return self.bias.low > 0


def bias(baseline: Accuracy) -> Bias:
    """The bias that a baseline shows."""
    right = round(baseline.value * baseline.pairs - baseline.ties / 2)
    p = sign_test(right, baseline.pairs - baseline.ties - right)
    return Bias(2 * baseline.value - 1, 2 * baseline.low - 1, 2 * baseline.high - 1, p)


def read_against(test: Accuracy, baseline: Accuracy) -> Reading:
    """A test paradigm read against its baseline."""
    gain = test.value - baseline.value
    within, other_within = (test.low, test.high), (baseline.low, baseline.high)
    interval = newcombe(test.value, baseline.value, within=within, other_within=other_within)
    return Reading(test, baseline, bias(baseline), gain, *interval)


def readings(choices: Choices, *, baselines: Mapping[str, str]) -> Mapping[str, Reading]:
    """Every test paradigm read against its baseline, by their uids."""
    found = accuracy(choices, by="paradigm")
    for uid in (*baselines, *baselines.values()):
        if uid not in found:
            raise fail("paradigm-not-scored", None, {"uid": uid, "known": sorted(found)})
    return {test: read_against(found[test], found[baseline]) for test, baseline in baselines.items()}


def without(choices: Choices, *, uids: Collection[str]) -> Choices:
    """The choices in all other paradigms: an average over accuracies has no place for baselines."""
    kept = ~np.isin(choices.uids.astype(str), list(uids))
    return Choices(
        choices.link,
        choices.uids[kept],
        choices.phenomena[kept],
        choices.pairs[kept],
        choices.good[kept],
        choices.bad[kept],
        choices.length_sign[kept],
    )
