"""Factors: sparse tables of counts over attributes, joined and summed until the wanted attributes are left."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

Row = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Factor:
    """For each combination of the attributes' values, a number; what is not there is zero."""

    attributes: tuple[int, ...]
    table: dict[Row, int]


def eliminate(factors: Sequence[Factor], keep: Collection[int], steps: list[Factor] | None = None) -> Factor:
    """The product of all factors, summed over every attribute that is not kept.

    Attributes go cheapest first, by the size of the tables that mention them. `steps` collects the products before
    they are summed: read backwards, they say how often each value of a summed attribute occurs with the rest.
    """
    left = list(factors)
    while True:
        sizes: dict[int, int] = {}
        for factor in left:
            for attribute in factor.attributes:
                if attribute not in keep:
                    sizes[attribute] = sizes.get(attribute, 1) * max(1, len(factor.table))
        if not sizes:
            break
        chosen = min(sizes, key=lambda attribute: (sizes[attribute], attribute))
        touching = sorted((f for f in left if chosen in f.attributes), key=lambda f: len(f.table))
        left = [factor for factor in left if chosen not in factor.attributes]
        outside = {attribute for factor in left for attribute in factor.attributes} | set(keep)
        if steps is not None:
            everything = {attribute for factor in touching for attribute in factor.attributes}
            steps.append(_product(touching, everything))
            touching = steps[-1:]
        left.append(_product(touching, outside))
    return _product(left, keep) if left else Factor((), {(): 1})


def _product(factors: Sequence[Factor], keep: Collection[int]) -> Factor:
    """The product of factors; an attribute goes as soon as no later factor and no one outside needs it."""
    product = factors[0]
    for number, factor in enumerate(factors[1:], start=1):
        needed = {a for later in factors[number + 1 :] for a in later.attributes} | set(keep)
        product = _join(product, factor, needed)
    if len(factors) == 1:
        product = _join(product, Factor((), {(): 1}), set(keep))
    return product


def _join(a: Factor, b: Factor, keep: Collection[int]) -> Factor:
    shared = [attribute for attribute in a.attributes if attribute in b.attributes]
    at_a, at_b = ([f.attributes.index(s) for s in shared] for f in (a, b))
    keep_a = [n for n, attribute in enumerate(a.attributes) if attribute in keep]
    keep_b = [n for n, attribute in enumerate(b.attributes) if attribute in keep and attribute not in shared]
    index: dict[Row, list[tuple[Row, int]]] = {}
    for row, count in b.table.items():
        index.setdefault(tuple([row[n] for n in at_b]), []).append((tuple([row[n] for n in keep_b]), count))
    for key, rows in index.items():
        if len(rows) > 1:  # sum what is no longer told apart before it is multiplied
            summed: dict[Row, int] = {}
            for row, count in rows:
                summed[row] = summed.get(row, 0) + count
            index[key] = list(summed.items())
    table: dict[Row, int] = {}
    for row, count in a.table.items():
        head = tuple([row[n] for n in keep_a])
        for tail, other in index.get(tuple([row[n] for n in at_a]), ()):
            key = head + tail
            table[key] = table.get(key, 0) + count * other
    kept = tuple(a.attributes[n] for n in keep_a) + tuple(b.attributes[n] for n in keep_b)
    return Factor(kept, table)
