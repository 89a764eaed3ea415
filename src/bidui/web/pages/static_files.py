"""Scripts and styles, which a browser may keep for ever: their addresses hold a hash of what is in them."""

import hashlib
import re
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from urllib.parse import parse_qs

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent.parent / "static"
_PART = re.compile(r"part-[0-9A-Z]{8}\.js")  # shared by scripts, and named by its own hash


class Built(StaticFiles):
    """Static files; those asked for by their hash need not be asked for again."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """The file, with how long it may be kept."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("v")
        path = Path(full_path)
        right = asked == [_hash(path, stat_result.st_mtime_ns)] or _PART.fullmatch(path.name)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if right else "no-cache"
        return response


def static_address(name: str) -> str:
    """The address of a file such as `dist/style.css`; one that is not there has no hash."""
    path = STATIC / name
    try:
        return f"/static/{name}?v={_hash(path, path.stat().st_mtime_ns)}"
    except OSError:
        return f"/static/{name}"


@lru_cache(maxsize=256)
def _hash(path: Path, _: int) -> str:
    """The hash of a file as it was at that time."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
