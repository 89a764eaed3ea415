"""Compute the numbers of a benchmark's data card from its project and its pairs; the text around them is left alone."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bidui.benchmarks import shipped
from bidui.grammar.generate import count_pairs, generate_from
from bidui.grammar.network import Compiler
from bidui.grammar.project import Project, load_project
from bidui.pairs import Pair, Pairs, measure_diversity, told_apart
from bidui.people.agreement import Agreement, Review, human_agreement, pooled, read_review

_BLOCK = re.compile(r"(<!-- numbers: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refresh_card(text: str, *, project: Project, pairs: Pairs, folder: Path) -> str:
    """Return the card with every block between `<!-- numbers: NAME -->` and `<!-- end -->` recomputed.

    `pairs` are the pairs of all paradigms, including the excluded ones.
    """
    blocks = {
        "size": _size,
        "diversity": _diversity,
        "openings": _openings,
        "phenomena": _phenomena,
        "paradigms": _paradigms,
        "lexicon": _lexicon,
        "review": _review,
    }

    def recomputed(block: re.Match[str]) -> str:
        lines = blocks[block[2]](project, pairs, folder)
        return block[1] + "\n" + "\n".join(lines) + "\n\n" + block[3]

    return _BLOCK.sub(recomputed, text)


def _included(project: Project, pairs: Pairs) -> tuple[Pair, ...]:
    included = {paradigm.uid for paradigm in project.paradigms if paradigm.status == "included"}
    return tuple(pair for pair in pairs if pair.uid in included)


def _size(project: Project, pairs: Pairs, _: Path) -> Iterator[str]:
    included = [paradigm for paradigm in project.paradigms if paradigm.status == "included"]
    phenomena = {paradigm.phenomenon for paradigm in included}
    others = Counter(paradigm.status for paradigm in project.paradigms if paradigm.status != "included")
    kinds = {"excluded": "excluded paradigms", "baseline": "bias baselines"}
    more = " and ".join(f"{others[kind]} {name}" for kind, name in kinds.items() if others[kind])
    own = len(_included(project, pairs))
    rest = f"; {more} with {len(pairs) - own:,} more" if more else ""
    yield f"{len(included)} paradigms in {len(phenomena)} phenomena, {own:,} pairs{rest}."


def _diversity(project: Project, pairs: Pairs, folder: Path) -> Iterator[str]:
    diversity = measure_diversity(_included(project, pairs))
    lines = (folder / "diversity.tsv").read_text(encoding="utf-8").splitlines()[1:]
    published = dict(line.split("\t") for line in lines)
    yield from _table(
        ("what", "here", "published"),
        [
            (what, here, published.get(what, ""))
            for what, here in (
                ("character types", f"{diversity.ngrams[0]:,}"),
                ("character bigram types", f"{diversity.ngrams[1]:,}"),
                ("character trigram types", f"{diversity.ngrams[2]:,}"),
                ("character 4-gram types", f"{diversity.ngrams[3]:,}"),
                ("word types (jieba)", f"{diversity.word_types or 0:,}"),
                ("lexicon words used", f"{diversity.lexicon_words:,}"),
                ("mean characters per sentence", f"{diversity.mean_length:.1f}"),
                ("pairs of equal length", f"{diversity.shares.equal:.0%}"),
                ("pairs with a shorter good sentence", f"{diversity.shares.good_shorter:.0%}"),
                ("pairs with a longer good sentence", f"{diversity.shares.good_longer:.0%}"),
            )
        ],
    )


def _openings(project: Project, pairs: Pairs, _: Path) -> Iterator[str]:
    good = [pair.good for pair in _included(project, pairs)]
    common = Counter(sentence[:2] for sentence in good).most_common(10)
    listed = ", ".join(f"{opening} {count / len(good):.1%}" for opening, count in common)
    different = len({sentence[:2] for sentence in good})
    yield f"{different:,} different openings of two characters; the most common: {listed}."


def _phenomena(project: Project, pairs: Pairs, folder: Path) -> Iterator[str]:
    human = human_agreement(folder)
    counted = {found.name: found for found in human if found.level == "paradigm"}
    printed = {found.name: found for found in human if found.level == "phenomenon"}
    included = [paradigm for paradigm in project.paradigms if paradigm.status == "included"]
    rows = []
    for phenomenon in sorted({paradigm.phenomenon for paradigm in included}):
        uids = [paradigm.uid for paradigm in included if paradigm.phenomenon == phenomenon]
        own = [pair for pair in pairs if pair.uid in set(uids)]
        people = _counts(counted, uids), _of(printed, phenomenon)
        rows.append((phenomenon, str(len(uids)), f"{len(own):,}", *_lengths(own), *people))
    overall = next((f"{found.accuracy:.2f}" for found in human if found.level == "overall"), "")
    everything = _included(project, pairs)
    rows.append(
        (
            "all",
            str(len(included)),
            f"{len(everything):,}",
            *_lengths(everything),
            _counts(counted, [paradigm.uid for paradigm in included]),
            overall,
        )
    )
    head = (
        "phenomenon",
        "paradigms",
        "pairs",
        "equal",
        "good shorter",
        "good longer",
        "humans, counts",
        "humans, table",
    )
    yield from _table(head, rows)


def _counts(counted: dict[str, Agreement], uids: Sequence[str]) -> str:
    """Return what the judgements on these paradigms pool to; nothing if only percentages were published."""
    return f"{pooled(counted[uid] for uid in uids):.2f}" if counted else ""


def _of(known: dict[str, Agreement], name: str) -> str:
    return f"{known[name].accuracy:.2f}" if name in known else ""


def _lengths(pairs: Sequence[Pair]) -> tuple[str, str, str]:
    signs = Counter((len(pair.good) > len(pair.bad)) - (len(pair.good) < len(pair.bad)) for pair in pairs)
    return tuple(f"{signs[sign] / len(pairs):.0%}" for sign in (0, -1, 1))  # type: ignore[return-value]


def _paradigms(project: Project, pairs: Pairs, folder: Path) -> Iterator[str]:
    compiler = Compiler.of(project)
    human = {found.name: found for found in human_agreement(folder) if found.level == "paradigm"}
    by_uid = pairs.by_uid()
    rows = []
    for paradigm in sorted(
        project.paradigms, key=lambda paradigm: (paradigm.status != "included", paradigm.phenomenon)
    ):
        own = by_uid[paradigm.uid]
        name = paradigm.uid if paradigm.status == "included" else f"{paradigm.uid} ({paradigm.status})"
        count = str(count_pairs(compiler.networks(paradigm)))
        rows.append(
            (name, "+".join(paradigm.edit), count, *_lengths(own), f"{told_apart(own):.0%}", _of(human, paradigm.uid))
        )
    head = ("uid", "edit", "distinct pairs", "equal", "good shorter", "good longer", "classifier", "humans")
    yield from _table(head, rows)
    closed = [(paradigm.uid, paradigm.closed_class) for paradigm in project.paradigms if paradigm.closed_class]
    if closed:
        yield ""
        yield "Closed classes, which cannot give a thousand pairs:"
        yield ""
        yield from (f"- {uid}: {why}" for uid, why in closed)


def _lexicon(project: Project, _: Pairs, __: Path) -> Iterator[str]:
    files = Counter(word.file for word in project.lexicon.words)
    yield from _table(("file", "words"), [(file, f"{count:,}") for file, count in sorted(files.items())])


def _review(project: Project, _: Pairs, folder: Path) -> Iterator[str]:
    review = read_review(folder)
    asked = 5 * sum(paradigm.status == "included" for paradigm in project.paradigms)
    included = [review[p.uid] for p in project.paradigms if p.status == "included" and p.uid in review]
    yield from _table(
        ("question about the pairs read blind", "here", "bar"),
        [
            ("pairs read", f"{sum(row.read for row in included):,}", f"{asked:,}"),
            ("intended side not chosen", _share(included, "missed"), "0.5%"),
            ("good sentence odd", _share(included, "odd_good"), "4%"),
            ("bad sentence acceptable", _share(included, "fine_bad"), "1%"),
            ("more than one difference", _share(included, "not_minimal"), "1%"),
            ("bad sentence has a second violation", _share(included, "second_violation"), "2%"),
        ],
    )


def _share(rows: Sequence[Review], field: str) -> str:
    total = sum(row.read for row in rows)
    count = sum(getattr(row, field) for row in rows)
    return f"{count} ({count / total:.1%})" if total else "not read yet"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def main(names: Sequence[str]) -> None:
    """Refresh the cards of these shipped benchmarks, or of all of them."""
    for name, folder in shipped().items():
        if not names or name in names:
            project = load_project(folder)
            card = folder / "card.md"
            text = card.read_text(encoding="utf-8")
            number = re.search(r"(\d+) pairs per paradigm", text)  # the card says how many its figures are for
            pairs = generate_from(project, n=int(number[1]) if number else 300, seed=0, include_excluded=True)
            card.write_text(refresh_card(text, project=project, pairs=pairs, folder=folder), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
