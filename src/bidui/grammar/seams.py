"""Seams: strings that may not arise where two slots meet."""

from collections.abc import Sequence


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


def possible(options: Sequence[Sequence[str]], seams: Sequence[str]) -> list[str]:
    """The seams that could arise at all where each item is one of its options.

    Only the first and last characters at each boundary are looked at: quick, and never misses one.
    """
    found = []
    for seam in seams:
        inside = set(seam)
        for left, right in zip(options, options[1:], strict=False):
            cuts = zip(seam, seam[1:], strict=False)
            lasts = {text[-1:] for text in left} & inside
            firsts = {text[:1] for text in right} & inside
            if lasts and firsts and any(a in lasts and b in firsts for a, b in cuts):
                found.append(seam)
                break
    return found
