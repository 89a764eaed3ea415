"""Answers in JSON that can hold every text a browser may send, half a character in the middle of typing included."""

import json
from typing import Any

from starlette.responses import JSONResponse


class Json(JSONResponse):
    """JSON in UTF-8; what UTF-8 cannot say (half a surrogate pair) is an escape, which every reader takes."""

    def render(self, content: Any) -> bytes:
        """The bytes of the answer."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")
