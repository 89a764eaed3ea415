"""Standings: the choices that tables of accuracy are made from, of models, or of the last checkpoints of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bidui.analysis.morcela import held_out_morcela
from bidui.errors import InputError, Problem
from bidui.report.results import Results, ScoredModel
from bidui.report.runs import TrainingRun
from bidui.scores.choices import Choices, choose_from
from bidui.scores.links import Floats, Link, slor

HELD_OUT = "morcela*"  # fitted on one half of the pairs and used on the other, both ways


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's choices by the names of linking functions, and why some of these are not there.

    Those of a run are made of its counts: how many pairs of a paradigm are right is known, but not which, nor which are
    ties.
    """

    name: str
    choices: Mapping[str, Choices]
    problems: tuple[Problem, ...] = ()
    counted: bool = False


def standings(results: Results, links: Sequence[Link], *, usual: bool) -> tuple[Standing, ...]:
    """Of every model; or, where there are no token scores at all, of every run.

    Where the links are the usual ones, SLOR and MORCELA join them for models whose unigrams are known.
    """
    if results.models:
        return tuple(_of_model(model, links, usual=usual) for model in results.models)
    return tuple(_of_run(run, [*links, *([slor()] if usual else [])]) for run in results.runs)


def _of_model(model: ScoredModel, links: Sequence[Link], *, usual: bool) -> Standing:
    known = model.totals.unigram is not None
    wanted = [*links, *([slor()] if usual and known else [])]
    lacking = [] if known else [link.name for link in wanted if link.needs_unigrams]
    problems = [Problem("link-needs-unigrams", values={"link": name}) for name in lacking]
    chosen = [choose_from(model.totals, link) for link in wanted if link.name not in lacking]
    if usual and known:
        try:
            chosen.append(replace(held_out_morcela(model.totals, seed=0).choices, link=HELD_OUT))
        except InputError as error:  # as for a model that has learnt nothing yet
            problems += error.problems
    return Standing(model.name, {choices.link: choices for choices in chosen}, tuple(problems))


def _of_run(run: TrainingRun, links: Sequence[Link]) -> Standing:
    there = [link.name for link in links if link.name in run.right]
    absent = [link.name for link in links if link.name not in run.right]
    problems = [Problem("link-not-counted", values={"link": link, "known": [*run.right]}) for link in absent]
    return Standing(run.label, {link: counted_choices(run, link) for link in there}, tuple(problems), counted=True)


def counted_choices(run: TrainingRun, link: str, *, checkpoint: int = -1) -> Choices:
    """Choices with as many right as a run had at a checkpoint, the right ones first in every paradigm."""
    sizes = run.pairs.astype(np.intp)
    numbers = np.concatenate([np.arange(size) for size in sizes])
    worth = np.concatenate([worths(n, size) for n, size in zip(run.right[link][checkpoint], sizes, strict=True)])
    return Choices(
        link,
        np.repeat(np.array(run.uids, object), sizes),
        np.repeat(np.array(run.phenomena, object), sizes),
        numbers.astype(np.int32),
        worth,
        1 - worth,
        np.zeros(len(worth), np.int8),
    )


def worths(right: float, size: int) -> Floats:
    """Worths that sum to `right`: ones, a half where it is not whole, and zeros."""
    return np.clip(right - np.arange(size), 0.0, 1.0)
