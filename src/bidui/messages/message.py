"""A message is one text in each language the workbench speaks."""

from typing import Literal, TypedDict

Language = Literal["en", "zh"]


class Message(TypedDict):
    """One message in both languages; `{name}` is filled from the problem's values."""

    en: str
    zh: str
