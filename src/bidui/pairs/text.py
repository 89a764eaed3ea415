"""The text of a file as bytes and back, UTF-8 and JSON, whole or refused with the place."""

import json

from bidui.errors import Place, fail

# Built once: making an encoder for each of 35,400 pairs would cost more than the encoding.
json_text = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def encoded(text: str, *, place: Place | None = None) -> bytes:
    """`text` as UTF-8; half a surrogate pair, which Python can hold and a file cannot, is refused."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        values = {"code": f"U+{ord(text[error.start]):04X}", "before": text[max(0, error.start - 20) : error.start]}
        raise fail("text-not-unicode", place, values) from None


def decoded(data: bytes, *, file: str) -> str:
    """The text of a UTF-8 file, without the byte order mark that some editors put first."""
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise fail("file-not-utf8", Place(file, line), {"byte": f"0x{data[error.start]:02x}"}) from None


def parsed(text: str, *, place: Place) -> object:
    """The JSON value that `text` holds."""
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        column = 0 if place.part else error.colno  # inside a field of CSV the column would not be the line's
        raise fail("bad-json", Place(place.file, place.line, column, place.part), {"reason": error.msg}) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets thousands deep
        raise fail("bad-json", place, {"reason": str(error)}) from None
    if "\\u" in text:  # only an escape can smuggle in half a surrogate pair
        encoded(json_text(value), place=place)
    return value
