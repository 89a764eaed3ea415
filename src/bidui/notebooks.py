"""Tables for pandas and notebooks: everything in bidui that has rows has `.frame`, in polars, and `.to_pandas()`."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from bidui.errors import fail

if TYPE_CHECKING:
    import pandas
    import polars

SHOWN = 10  # rows in a notebook


def to_pandas(frame: "polars.DataFrame") -> "pandas.DataFrame":
    """Return a table of polars as one of pandas, which must be installed.

    Columns are copied one by one, because polars' own conversion also needs pyarrow.
    """
    try:
        import pandas
    except ImportError:
        raise fail("pandas-missing") from None
    columns = {}
    for column in frame.iter_columns():
        plain = column.dtype.is_numeric() and not column.null_count()
        columns[column.name] = column.to_numpy() if plain else column.to_list()
    return pandas.DataFrame(columns)


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, count: int) -> str:
    """Write a table of a notebook: the rows that are given, of `count`; cells are HTML, the rest is text."""
    shown = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in ("".join(f"<th>{escape(name)}</th>" for name in head), *shown))
    more = f"<p>… and {count - len(shown):,} more</p>" if count > len(shown) else ""
    return f"<p>{escape(title)}</p><table>{body}</table>{more}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
