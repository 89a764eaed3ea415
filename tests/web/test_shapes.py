"""The TypeScript types of the front end are those that the server's own description gives."""

from pathlib import Path

import pytest

from bidui.web.app import describe
from bidui.web.shapes import typescript

WIRE = Path(__file__).parents[2] / "frontend" / "src" / "wire.ts"


def described(**schemas: object) -> dict[str, object]:
    return {"paths": {}, "components": {"schemas": schemas}}


def test_the_committed_types_are_up_to_date() -> None:
    """A field that is renamed on the server alone must not reach a page as undefined."""
    assert WIRE.read_text("utf-8") == typescript(describe()), "run `make docs` and commit what comes out"


def test_every_kind_of_schema_has_a_type() -> None:
    shape = {
        "type": "object",
        "description": "A file.",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer", "default": 0},
            "kind": {"enum": ["a", "b"], "type": "string"},
            "row": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
            "values": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Other"}},
            "anything": {},
        },
    }
    other = {"type": "object", "properties": {"right": {"type": "boolean"}}, "required": ["right"]}
    text = typescript(described(FileShape=shape, Other=other))
    assert text.partition("\n\n")[2] == (
        "/** A file. */\n"
        "export interface File {\n"
        "  name: string;\n"
        "  size: number;\n"
        '  kind: "a" | "b";\n'
        "  row: (string | null)[];\n"
        "  pair: [string, number];\n"
        "  values: Record<string, Other>;\n"
        "  anything: unknown;\n"
        "}\n\n"
        "export interface Other {\n"
        "  right: boolean;\n"
        "}\n"
    )


def test_only_what_is_sent_to_the_server_may_lack_fields() -> None:
    """The server always sends a field that has a default; a page may leave it out."""
    shape = {"type": "object", "properties": {"tab": {"type": "string", "default": ""}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Question"}}}}
    paths = {"/api/x": {"post": {"requestBody": body}}}
    text = typescript({"paths": paths, "components": {"schemas": {"Question": shape, "Answer": shape}}})
    assert "interface Answer {\n  tab: string;" in text
    assert "interface Question {\n  tab?: string;" in text


def test_two_shapes_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="rename one"):
        typescript(described(bidui__web__one__Span={}, bidui__web__other__Span={}))
    with pytest.raises(ValueError, match="one name"):
        typescript(described(Span={}, SpanShape={}))
