"""Modified Kneser-Ney smoothing written down slowly, with dictionaries, and a reader of ARPA files."""

import gzip
from collections import Counter, defaultdict
from math import log10
from pathlib import Path

Gram = tuple[str, ...]
Values = dict[Gram, tuple[float, float]]  # log10 of the probability, and of the back-off (0 where there is none)


def read_arpa(path: Path) -> Values:
    """The values of all n-grams; the counts in the header must be those of the lines."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().split("\n")
    assert lines[0] == "\\data\\" and lines[-2:] == ["\\end\\", ""]
    fields = [line.split("\t") for line in lines]
    found = {
        tuple(line[1].split(" ")): (float(line[0]), float(line[2]) if line[2:] else 0.0) for line in fields if line[1:]
    }
    said = {int(line[6:].split("=")[0]): int(line.split("=")[1]) for line in lines if line.startswith("ngram ")}
    assert said == {order: sum(len(gram) == order for gram in found) for order in said}
    # Only the highest order is without back-offs.
    assert all((len(line) == 3) == (len(line[1].split(" ")) < max(said)) for line in fields if line[1:])
    return found


def log_probability(values: Values, history: Gram, word: str) -> float:
    """log10 p(word | history) as ARPA files mean it: the longest n-gram there is, and back-offs on the way to it."""
    if (*history, word) in values:
        return values[*history, word][0]
    if not history:
        return values["<unk>",][0]
    return values.get(history, (0.0, 0.0))[1] + log_probability(values, history[1:], word)


def slow_model(
    sentences: list[list[str]], order: int, *, fallback: bool = False, prune: tuple[int, ...] = ()
) -> Values | None:
    """The model by the formulas of Chen and Goodman (1998) and Heafield et al. (2013); None if it has no discounts.

    N-grams that occur at most `prune[n - 1]` times are pruned: their whole counts go to the back-off.
    """
    occurs = occurrences(sentences, order)
    adjusted = {order: occurs[order]}
    for n in range(1, order):
        before = Counter(gram[1:] for gram in occurs[n + 1])
        adjusted[n] = Counter({gram: c if gram[0] == "<s>" else before[gram] for gram, c in occurs[n].items()})
    del adjusted[1]["<s>",]
    least = {n: 0 for n in adjusted} | {n: prune[min(n, len(prune)) - 1] for n in adjusted if prune}
    pruned = {gram for n in adjusted for gram in adjusted[n] if occurs[n][gram] <= least[n]} - {("</s>",)}
    words = len(adjusted[1].keys() - pruned) + 1  # <unk> is one more
    probability: dict[Gram, float] = {}
    backoff: dict[Gram, float] = {}
    for n in range(1, order + 1):
        taken = discounts(having(sentences, order, occurs, adjusted, n))
        if taken is None and not fallback:
            return None
        taken = taken or [0, 0.5, 1, 1.5]
        total: Counter[Gram] = Counter()
        discounted: dict[Gram, float] = defaultdict(float)
        for gram, count in adjusted[n].items():
            total[gram[:-1]] += count
            discounted[gram[:-1]] += count if gram in pruned else taken[min(count, 3)]
        backoff |= {context: discounted[context] / total[context] for context in total}
        for gram, count in adjusted[n].items():
            lower = probability[gram[1:]] if n > 1 else 1 / words
            context = gram[:-1]
            probability[gram] = (count - taken[min(count, 3)]) / total[context] + backoff[context] * lower
    probability["<unk>",] = backoff[()] / words
    probability["<s>",] = 1
    return {
        gram: (log10(p), log10(backoff[gram] or 1e-99) if gram in backoff and len(gram) < order else 0.0)
        for gram, p in probability.items()
        if gram not in pruned
    }


def occurrences(sentences: list[list[str]], order: int) -> dict[int, Counter[Gram]]:
    found: dict[int, Counter[Gram]] = {n: Counter() for n in range(1, order + 1)}
    for sentence in sentences:
        words = ("<s>", *sentence, "</s>")
        for n in range(1, order + 1):
            found[n].update(words[start : start + n] for start in range(len(words) - n + 1))
    return found


def having(
    sentences: list[list[str]],
    order: int,
    occurs: dict[int, Counter[Gram]],
    adjusted: dict[int, Counter[Gram]],
    n: int,
) -> Counter[int]:
    """How many n-grams have which count, as lmplz has it: the last of a lower order counts by how often it occurs.

    The last is in suffix order, of words numbered by their first appearance, after `<s>` and `</s>`.
    """
    found = Counter(adjusted[n].values())
    number = {word: at for at, word in enumerate(dict.fromkeys(["<s>", "</s>", *(w for s in sentences for w in s)]))}
    padded = [["<s>"] * (order - 1) + sentence + ["</s>"] for sentence in sentences]
    full = {tuple(words[end - order : end]) for words in padded for end in range(order, len(words) + 1)}
    last = max(full, key=lambda gram: [number[word] for word in reversed(gram)])[order - n :]
    if n < order and last[1:2] != ("<s>",):
        found[adjusted[n][last]] -= 1
        found[occurs[n][last]] += 1
    return found


def discounts(having: Counter[int]) -> list[float] | None:
    if not (having[1] and having[2] and having[3]):
        return None
    y = having[1] / (having[1] + 2 * having[2])
    found = [0, *(c - (c + 1) * y * having[c + 1] / having[c] for c in (1, 2, 3))]
    return found if all(0 <= found[c] <= c for c in (1, 2, 3)) else None
