"""What the tests of the calls share: the small project's addresses, and texts counted as browsers count."""

import json
from typing import Any

from starlette.testclient import TestClient

GENDER = "paradigms/anaphor/gender.yaml"
CLASSIFIER = "paradigms/classifier/classifier.yaml"
SMALL = "/api/projects/small"


def read(client: TestClient, file: str = GENDER, *, project: str = "small") -> dict[str, Any]:
    """A file as the calls give it."""
    answer = client.get(f"/api/projects/{project}/files/{file}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def write(client: TestClient, text: str, *, base: int | None, file: str = GENDER, tab: str = "") -> Any:
    """The answer to a text that is saved."""
    return client.put(f"{SMALL}/files/{file}", **as_browsers_do({"text": text, "base": base, "tab": tab}))


def as_browsers_do(body: Any) -> dict[str, Any]:
    """A body as JSON.stringify writes it: half a surrogate pair is an escape."""
    return {"content": json.dumps(body), "headers": {"Content-Type": "application/json"}}


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    """What a call of the small project answers."""
    answer = client.post(f"{SMALL}/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(client: TestClient, path: str, status: int = 200, **query: Any) -> Any:
    """The same for a call that only asks."""
    answer = client.get(f"{SMALL}/{path}".rstrip("/"), params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


def js(text: str, part: str) -> tuple[int, int]:
    """Where a browser finds a part of a text, which must be there once: in UTF-16."""
    assert text.count(part) == 1, part
    start = len(text[: text.index(part)].encode("utf-16-le")) // 2
    return start, start + len(part.encode("utf-16-le")) // 2


def applied(text: str, changes: list[dict[str, Any]]) -> str:
    """A text after changes, as a browser makes them."""
    units = text.encode("utf-16-le")
    for change in reversed(changes):
        head, tail = units[: 2 * change["start"]], units[2 * change["end"] :]
        units = head + change["text"].encode("utf-16-le") + tail
    return units.decode("utf-16-le")


def another(client: TestClient) -> TestClient:
    """Another window of the same browser."""
    headers = {"Sec-Fetch-Site": "same-origin"}
    return TestClient(client.app, base_url=str(client.base_url), headers=headers, cookies=dict(client.cookies))
