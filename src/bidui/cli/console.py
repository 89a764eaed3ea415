"""What all commands print with: one console for messages, and numbers with their nouns."""

from rich.console import Console


def messages() -> Console:
    """Return a console on stderr that neither breaks lines nor turns `:X:` into a picture."""
    return Console(stderr=True, soft_wrap=True, emoji=False)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pair`, `2,000 pairs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
