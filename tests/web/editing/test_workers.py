"""Whatever a paradigm does, the server keeps working: it answers, drops or gives up questions, workers come back."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path

import pytest

from bidui.grammar.project import write_texts
from bidui.web.editing.preview import Answer, Counts, Limits, Preview, Request, Source, Tally, source_of
from bidui.web.editing.workers import LARGE, PreviewWorkers, _set_timer
from tests.web.editing.small import CLASSIFIER, FILES, GENDER

# Eight words in a circle of links, out of a thousand: the tables that count them are given up after some seconds and
# megabytes; and that fifty times.
SLOTS = [f"s{n}" for n in range(8)]
ENDLESS = "format: 1\nuid: endless\nphenomenon: p\nvariants:\n" + 50 * (
    "  - slots:\n"
    + "".join(
        f"      s{n}: pos:X mmPos:s{(n + 1) % 8} mmPro:expression mmPos:s{(n + 2) % 8} mmPro:expression\n"
        for n in range(8)
    )
    + f"    good: 甲 {' '.join(SLOTS)}\n    bad: {' '.join(reversed(SLOTS))} 甲\n"
)
HARD = {
    "project.yaml": "format: 1\nname: hard\n",
    "lexicon.tsv": "expression\tpos\n" + "".join(f"{n}\tX\n" for n in range(1_000)),
}
SECONDS = {"pairs": 120.0, "count": 300.0, "open": 120.0}  # enough for a busy machine
LIMITS = Limits(seconds=SECONDS, memory=1 << 29)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    folder = tmp_path_factory.mktemp("projects")
    write_texts(folder / "small", FILES)
    write_texts(folder / "hard", HARD)
    return {name: source_of(folder / name) for name in ("small", "hard")}


@pytest.fixture(scope="module")
def workers(sources: dict[str, Source]) -> Iterator[PreviewWorkers]:
    with PreviewWorkers(limits=LIMITS) as running:
        yield running


def ask(
    workers: PreviewWorkers, source: Source, text: str, *, kind: str = "pairs", editor: str = "e", seed: int = 0
) -> Answer:
    request = Request(kind, text, "x", seed=seed)  # type: ignore[arg-type]
    return workers.ask(request, source=source, editor=editor).result(timeout=240)


def pids(workers: PreviewWorkers) -> list[int]:
    return [worker.process.pid or 0 for worker in workers._workers]


def test_questions_are_answered(workers: PreviewWorkers, sources: dict[str, Source]) -> None:
    shown = ask(workers, sources["small"], GENDER).result
    assert isinstance(shown, Preview) and len(shown.pairs) == 2
    number = ask(workers, sources["small"], GENDER, kind="count").result
    assert isinstance(number, Tally) and number.counts and number.counts.value == 2 and number.counts.reasons
    assert [words.slot for words in shown.words] == ["who", "right", "wrong"]


def test_people_take_turns() -> None:
    """Somebody with many tabs asks first; the questions of others are not taken up after all of hers."""
    idle = PreviewWorkers()  # asked, but not started: what would be taken up, and in which order
    for number, who in enumerate("AAAABBCD"):
        kind = "count" if who == "D" else "pairs"
        idle.ask(Request(kind, GENDER, "x"), source=Source("", ""), editor=str(number), who=who)  # type: ignore[arg-type]
    taken = [job.who for job in iter(lambda: idle._take(slow=False), None) if job]
    assert "".join(taken) == "ABCABAA"  # and what takes long is for another worker
    assert [job.who for job in iter(lambda: idle._take(slow=True), None) if job] == ["D"]
    idle.ask(Request("pairs", GENDER, "x"), source=Source("", ""), editor="a", who="A")
    idle.ask(Request("pairs", GENDER, "x"), source=Source("", ""), editor="c", who="C")
    assert [job.who for job in iter(lambda: idle._take(slow=False), None) if job] == ["C", "A"]


def test_a_broken_text_is_answered_by_what_is_wrong(workers: PreviewWorkers, sources: dict[str, Source]) -> None:
    shown = ask(workers, sources["small"], GENDER.replace("pos:NR", "pos:NM")).result
    assert isinstance(shown, Preview)
    assert [found.kind for found in shown.diagnostics] == ["value-unknown"]
    unreadable = ask(workers, sources["small"], "slots: [").result
    assert isinstance(unreadable, Preview) and unreadable.rows is None and unreadable.problems


def test_a_project_that_is_not_there_is_said(workers: PreviewWorkers, tmp_path: Path) -> None:
    found = ask(workers, source_of(tmp_path), GENDER).problem
    assert found is not None and found.kind == "no-project"


def test_a_changed_lexicon_is_seen_at_once(workers: PreviewWorkers, tmp_path: Path) -> None:
    write_texts(tmp_path / "small", FILES)
    first = ask(workers, source_of(tmp_path / "small"), GENDER).result
    lexicon = tmp_path / "small" / "lexicon.tsv"
    lexicon.write_text(lexicon.read_text("utf-8") + "赵奶奶\tNR\t\tfemale\n", "utf-8")
    second = ask(workers, source_of(tmp_path / "small"), GENDER).result
    assert isinstance(first, Preview) and isinstance(second, Preview)
    assert (len(first.pairs), len(second.pairs)) == (2, 3)


def test_what_takes_too_long_is_given_up_and_the_next_question_is_answered(
    workers: PreviewWorkers, sources: dict[str, Source]
) -> None:
    """That a count takes long is nobody's fault, so that it is no problem either."""
    quick = PreviewWorkers(limits=Limits(seconds={**LIMITS.seconds, "count": 0.5}, grace=120.0))
    with quick:
        found = ask(quick, sources["hard"], ENDLESS, kind="count")
        before = pids(quick)
        assert isinstance(found.result, Tally) and found.result.counts == Counts(None, exact=False)
        assert ask(quick, sources["small"], GENDER, kind="count").problem is None
        assert pids(quick) == before  # it stopped by itself, and is still warm


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="no such timer")
def test_a_count_that_waits_for_others_does_not_use_up_its_time() -> None:
    """On a busy machine a count takes minutes, of which the machine works some seconds for it."""
    rung: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda *_: rung.append(1))
    try:
        _set_timer(0.1, busy=True)
        time.sleep(0.5)
        assert not rung
        start = time.process_time()
        while not rung and time.process_time() - start < 30:
            sum(range(10_000))
        assert rung
    finally:
        _set_timer(0)
        signal.signal(signal.SIGPROF, before)


def test_a_count_whose_basis_is_known_is_not_made_again(workers: PreviewWorkers, sources: dict[str, Source]) -> None:
    first = ask(workers, sources["small"], GENDER, kind="count").result
    assert isinstance(first, Tally) and len(first.basis) == 64
    request = Request("count", GENDER, "x", known=("another", first.basis))
    again = workers.ask(request, source=sources["small"], editor="e").result(timeout=240).result
    assert again == Tally(first.basis, None)


def test_a_newer_question_of_the_same_editor_cancels_the_older(
    workers: PreviewWorkers, sources: dict[str, Source]
) -> None:
    """With every key that is pressed, what was asked before is of no use."""
    ask(workers, sources["hard"], GENDER)
    old = workers.ask(Request("count", ENDLESS, "x"), source=sources["hard"], editor="me")
    other = workers.ask(Request("pairs", GENDER, "x"), source=sources["small"], editor="you")
    time.sleep(0.3)  # let it begin
    new = workers.ask(Request("pairs", GENDER + "\n", "x"), source=sources["small"], editor="me")
    assert new.result(timeout=240).problem is None
    assert other.result(timeout=240).problem is None
    with pytest.raises(CancelledError):
        old.result(timeout=240)
    # and the worker that was counting is free again, long before it would have finished
    assert ask(workers, sources["small"], GENDER, kind="count").problem is None


def test_questions_about_the_same_text_do_not_cancel_each_other(
    workers: PreviewWorkers, sources: dict[str, Source]
) -> None:
    asked = [
        workers.ask(Request(kind, CLASSIFIER, "x"), source=sources["small"], editor="me") for kind in ("pairs", "count")
    ]
    assert all(future.result(timeout=240).problem is None for future in asked)


def test_counts_do_not_keep_pairs_waiting(workers: PreviewWorkers, sources: dict[str, Source]) -> None:
    slow = [
        workers.ask(Request("count", ENDLESS, f"{n}"), source=sources["hard"], editor=f"counting {n}") for n in range(4)
    ]
    assert ask(workers, sources["small"], CLASSIFIER, editor="typing").problem is None
    assert not any(future.done() for future in slow)
    for future in slow:
        future.cancel()
        assert future.cancelled()


def test_a_worker_that_is_killed_is_replaced(workers: PreviewWorkers, sources: dict[str, Source]) -> None:
    """Whatever ended it, the question it had is asked once more."""
    ask(workers, sources["small"], GENDER)
    for pid in pids(workers):
        os.kill(pid, signal.SIGKILL)
    assert ask(workers, sources["small"], GENDER).problem is None


def test_a_question_that_ends_every_worker_is_not_asked_for_ever(
    workers: PreviewWorkers, sources: dict[str, Source]
) -> None:
    ask(workers, sources["hard"], GENDER)
    asked = workers.ask(Request("count", ENDLESS, "x"), source=sources["hard"], editor="me")
    for _ in range(2_400):
        for worker in workers._workers:
            if worker.job and worker.ready and worker.job.future is asked:
                os.kill(worker.process.pid or 0, signal.SIGKILL)
        if asked.done():
            break
        time.sleep(0.05)
    found = asked.result(timeout=240).problem
    assert found is not None and found.kind == "preview-crashed"
    assert ask(workers, sources["small"], GENDER).problem is None


def test_a_worker_that_does_not_listen_is_killed(sources: dict[str, Source]) -> None:
    """What hangs outside of Python hears no signal."""
    limits = Limits(seconds={**LIMITS.seconds, "pairs": 0.3}, grace=0.3)
    with PreviewWorkers(limits=limits) as workers:
        ask(workers, sources["small"], GENDER, editor="warm")
        for pid in pids(workers):
            os.kill(pid, signal.SIGSTOP)
        found = ask(workers, sources["small"], GENDER)
        assert found.problem is not None and found.problem.kind == "preview-too-long"


def test_memory_is_limited(sources: dict[str, Source]) -> None:
    """A paradigm that would take all memory of the server takes its own worker's."""
    with PreviewWorkers(limits=Limits(memory=24 << 20, seconds={**LIMITS.seconds, "count": 20.0})) as workers:
        found = ask(workers, sources["hard"], ENDLESS, kind="count")
        if found.problem is None or found.problem.kind == "preview-too-long":
            pytest.skip("this system does not limit the memory of a process")
        assert found.problem.kind in {"preview-memory", "preview-crashed"}
        assert ask(workers, sources["small"], GENDER).problem is None


def test_after_the_end_nothing_is_asked(sources: dict[str, Source]) -> None:
    with PreviewWorkers() as workers:
        waiting = workers.ask(Request("count", ENDLESS, "x"), source=sources["hard"], editor="e")
    assert waiting.cancelled()
    assert workers.ask(Request("pairs", GENDER, "x"), source=sources["small"], editor="e").cancelled()


def test_a_large_project_is_opened_only_by_the_worker_that_is_asked(sources: dict[str, Source]) -> None:
    """Two copies of a lexicon of 17 MB take twice the memory."""
    with PreviewWorkers(limits=LIMITS) as workers:
        large = replace(sources["small"], size=LARGE)
        for text in (GENDER, CLASSIFIER, GENDER):
            ask(workers, large, text)
        assert sorted(len(worker.opened) for worker in workers._workers) == [0, 1]
