"""Decisions on paradigms: proposed by the figures of a study, changed by hand with a reason, written into the project.

A paradigm is kept or excluded if its whole interval says so, and otherwise undecided; what is undecided is never
excluded, except by hand. Every decision is recorded in the folder of the study.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Literal

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import Json, decode, encode, json_text, read_bytes, write_file
from bidui.intervals import Estimate
from bidui.people.agreement import Figure, percent, study_results
from bidui.people.design import check_threshold
from bidui.people.study import Study, pinned_version, read_study, same_version

DECISIONS = "decisions.jsonl"  # the record in the folder of a study
Verdict = Literal["keep", "exclude", "undecided"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the figures of a paradigm say about a threshold: undecided where the interval straddles it.

    `why` is the reason of somebody who decided otherwise; then the verdict is hers, and `proposed` that of the figures.
    """

    uid: str
    verdict: Verdict
    threshold: float
    figure: Figure
    proposed: Verdict = "undecided"
    why: str = ""


def propose(
    paradigms: Mapping[str, Figure],
    *,
    threshold: float = 0.85,
    overrides: Mapping[str, tuple[Verdict, str]] | None = None,
) -> tuple[Proposal, ...]:
    """Propose to keep, to exclude, or to leave undecided each paradigm, by the wider of its two intervals.

    `overrides` has the verdicts of people, with their reasons, by uid.
    """
    check_threshold(threshold)
    overrides = overrides or {}
    if unknown := [uid for uid in overrides if uid not in paradigms]:
        raise fail("uid-unknown", None, {"uid": unknown[0], "uids": list(paradigms)})
    if silent := [uid for uid, (_, why) in overrides.items() if not why.strip()]:
        raise fail("decide-why", None, {"uid": silent[0]})
    proposals = []
    for uid, figure in paradigms.items():
        low, high = figure.wider
        proposed: Verdict = "keep" if low >= threshold else "exclude" if high < threshold else "undecided"
        verdict, why = overrides.get(uid, (proposed, ""))
        proposals.append(Proposal(uid, verdict, threshold, figure, proposed, why.strip()))
    return tuple(proposals)


def decide(
    folder: str | Path,
    *,
    project: str | Path | None = None,
    threshold: float | None = None,
    keep: Mapping[str, str] | None = None,
    exclude: Mapping[str, str] | None = None,
    resamples: int = 1000,
) -> tuple[Proposal, ...]:
    """Decide on the paradigms of the study in a folder; with `project`, write the decisions there and record them.

    The threshold is the one that the design fixed, unless another is given. `keep` and `exclude` have paradigms that
    somebody decides on by hand, each with the reason. Paradigms that nobody judged are undecided.
    """
    study = read_study(folder)
    both = {uid for uid in keep or {} if uid in (exclude or {})}
    if both:
        raise fail("decide-both", None, {"uid": min(both)})
    verdicts: dict[str, tuple[Verdict, str]] = {uid: ("keep", why) for uid, why in (keep or {}).items()}
    verdicts |= {uid: ("exclude", why) for uid, why in (exclude or {}).items()}
    found = study_results(folder, resamples=resamples).figures
    nothing = Estimate(nan)
    every = {
        uid: found.get(uid) or Figure(uid, 0, 0, 0, 0, 0, nothing, nothing)
        for uid in dict.fromkeys(study.pairs.by_uid())
    }
    limit = study.design.rules.threshold if threshold is None else threshold
    proposals = propose(every, threshold=limit, overrides=verdicts)
    if project is not None:
        write_decisions(project, proposals, study=study)
        record_decisions(folder, proposals)
    return proposals


def decision_rows(proposals: Iterable[Proposal]) -> list[dict[str, Json]]:
    """Return decisions as rows of a table or record; shares are in percent."""
    return [
        {
            **{"uid": one.uid, "verdict": one.verdict, "proposed": one.proposed},
            **{"agreement": percent(one.figure.wilson.value), "low": percent(one.figure.wider[0])},
            **{"high": percent(one.figure.wider[1]), "threshold": percent(one.threshold)},
            **{key: getattr(one.figure, key) for key in ("correct", "judgements", "pairs", "people")},
            "why": one.why,
        }
        for one in proposals
    ]


def record_decisions(folder: str | Path, proposals: Iterable[Proposal]) -> None:
    """Add decisions to the record of a study, below those that were made before; nothing is ever removed."""
    path = Path(folder) / DECISIONS
    before = read_bytes(path) if path.exists() else b""
    lines = [encode(json_text(row) + "\n") for row in decision_rows(proposals)]
    if not before.endswith(b"".join(lines)):
        write_file(path, before + b"".join(lines))


def reason(proposal: Proposal, *, study: str) -> str:
    """Say in one sentence why a paradigm is excluded or kept, with the figures."""
    figure, (low, high) = proposal.figure, proposal.figure.wider
    by_hand = f" Decided by hand: {proposal.why}" if proposal.why else ""
    if not figure.judgements:
        return f"In the study {study}, nobody judged its pairs.{by_hand}"
    return (
        f"In the study {study}, {figure.correct} of {figure.judgements} judgements by {figure.people} people on "
        f"{figure.pairs} pairs chose the good sentence ({figure.wilson.value:.0%}, interval {low:.0%} to {high:.0%}; "
        f"threshold {proposal.threshold:.0%}).{by_hand}"
    )


def exclude(text: str, *, reason: str, name: str) -> str:
    """Return the YAML of a paradigm with `status: excluded` and a reason; all else stays as it was written."""
    return set_status(text, status="excluded", reason=reason, name=name)


def set_status(text: str, *, status: Literal["included", "excluded"], reason: str, name: str) -> str:
    """Return the YAML of a paradigm with a status and a reason; all else stays as it was written."""
    from bidui.grammar.yaml import Scalar, parse_document, written

    for key, value, after in (("reason", reason, "phenomenon"), ("status", status, "phenomenon")):
        document = parse_document(text, name=name)
        old = document.get(key)
        if isinstance(old, Scalar):
            text = text[: old.start] + written(value) + text[old.end :]
        else:
            anchor = document.get(after)
            if not isinstance(anchor, Scalar) or old is not None:
                raise fail("decide-file", Place(name), {"uid": name})
            end = text.find("\n", anchor.end)
            at = len(text) if end < 0 else end
            text = f"{text[:at]}\n{key}: {written(value)}{text[at:]}"
    return text


def write_decisions(folder: str | Path, proposals: Iterable[Proposal], *, study: Study) -> dict[str, str]:
    """Write decisions into a project; return the new status of each paradigm whose status is not what it was.

    Excluded paradigms get `status: excluded` with the figures; one that was excluded when the study was made, and is
    kept, is included again. Undecided ones stay as they are. A paradigm that was edited since is an error, unless it
    was decided on by hand: people judged other pairs. All files are made and checked before the first is written.
    """
    from bidui.grammar.paradigm_file import parse_paradigm
    from bidui.grammar.project import load_project

    folder = Path(folder)
    paradigms = {each.uid: each for each in load_project(folder).paradigms}
    edits: dict[str, tuple[Path, str, str]] = {}
    problems: list[Problem] = []
    for one in proposals:
        if one.verdict == "undecided":
            continue
        if one.uid not in paradigms:
            problems.append(Problem("decide-missing", Place(str(folder)), {"uid": one.uid}))
            continue
        mine = paradigms[one.uid]
        pinned, version = (study.paradigms or {}).get(one.uid, ""), pinned_version(mine)
        same = version == pinned  # also in its status
        if one.verdict == "keep" and (mine.status != "excluded" or not (same or one.why)):
            continue
        if study.source and not (one.why or same_version(pinned, version)):
            problems.append(Problem("decide-edited", Place(str(folder / mine.place.file)), {"uid": one.uid}))
            continue
        status: Literal["included", "excluded"] = "excluded" if one.verdict == "exclude" else "included"
        path, file = folder / mine.place.file, mine.place.file
        why = reason(one, study=study.name)
        text = set_status(decode(read_bytes(path), file=str(path)), status=status, reason=why, name=file)
        after, _ = parse_paradigm(text, name=file)
        if after is None or (after.uid, after.status) != (one.uid, status):
            raise fail("decide-file", Place(str(path)), {"uid": one.uid})
        if (mine.status, mine.reason) != (status, why):
            edits[one.uid] = (path, text, status)
    if problems:
        raise InputError(problems)
    for path, text, _ in edits.values():
        write_file(path, encode(text))
    return {uid: status for uid, (_, _, status) in edits.items()}
