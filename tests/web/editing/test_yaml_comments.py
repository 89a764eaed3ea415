"""Comments go with what they are about, and with nothing else."""

import pytest

from bidui.web.editing.text import apply_edit
from bidui.web.editing.yaml import move, remove


@pytest.mark.parametrize(
    ("text", "key", "left"),
    [
        ("m:\n  # a\n  a: 1\n\n  # b\n  b: 2\n", "a", "m:\n\n  # b\n  b: 2\n"),
        ("m:\n  a: 1\n\n  # b\n  # is\n  b: 2\n", "b", "m:\n  a: 1\n\n"),
        ("m:\n  # both\n  a: 1\n  b: 2\n", "a", "m:\n  # both\n  b: 2\n"),
        ("m:\n  # gap\n\n  a: 1\n\n  b: 2\n", "a", "m:\n  # gap\n\n\n  b: 2\n"),
        ("m:\n  a:\n    - 1\n    # one\n  b: 2\n", "a", "m:\n  b: 2\n"),
    ],
)
def test_a_comment_that_is_about_one_entry_alone_goes_with_it(text: str, key: str, left: str) -> None:
    """Else it would be read as one about the next."""
    assert apply_edit(text, remove(text, ("m", key))) == left


def test_a_moved_entry_takes_its_comment_along() -> None:
    text = "m:\n  # of a\n  a: 1\n\n  # of b\n  b: 2  # beside b\n\n  c: 3\n"
    after = "m:\n  # of b\n  b: 2  # beside b\n\n  # of a\n  a: 1\n\n  c: 3\n"
    assert apply_edit(text, move(text, ("m", "b"), to=0)) == after
    assert apply_edit(after, move(after, ("m", "b"), to=1)) == text
