"""Seams: strings that may not arise where two slots meet."""

from collections.abc import Container, Sequence
from itertools import pairwise


def crosses(left: str, right: str, seam: str) -> bool:
    """Whether the seam arises across the boundary between two texts."""
    return any(left.endswith(seam[:cut]) and right.startswith(seam[cut:]) for cut in range(1, len(seam)))


def broken(texts: Sequence[str], seams: Sequence[str]) -> bool:
    """Whether some seam arises across one or more boundaries of these texts, joined."""
    line = "".join(texts)
    for seam in seams:
        start = line.find(seam)
        while start >= 0:
            end = start + len(seam)
            position = 0
            for text in texts:
                position += len(text)
                if start < position < end:
                    return True
            start = line.find(seam, start + 1)
    return False


def possible(edges: Sequence[tuple[Container[str], Container[str]]], seams: Sequence[str]) -> list[str]:
    """The seams that could arise at all between items of which the first and last characters are known.

    Quick, and never misses one: of a seam, only the two characters that meet are looked at.
    """
    found = []
    for seam in seams:
        cuts = list(pairwise(seam))
        meetings = pairwise(edges)
        if any(a in left[1] and b in right[0] for left, right in meetings for a, b in cuts):
            found.append(seam)
    return found
