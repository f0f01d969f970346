"""Checking JSON against the package's schemas, and the schemas against the JSON."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema


def schema(verb: str) -> dict[str, Any]:
    """The schema of a verb's JSON."""
    found: dict[str, Any] = json.loads((resources.files("knee") / "schemas" / f"{verb}.json").read_text())
    return found


def follows(data: Any, verb: str) -> None:
    """Fail unless ``data`` follows the schema, and the schema describes every field of it.

    A field that is written and not described would be one that nobody promised.
    """
    jsonschema.validate(data, schema(verb))
    jsonschema.validate(data, _closed(schema(verb)))


def _closed(part: Any) -> Any:
    """The schema with no further fields allowed where it names some."""
    if isinstance(part, dict):
        inner = {key: _closed(value) for key, value in part.items()}
        if "properties" in part and isinstance(part["properties"], dict) and "type" in part:
            inner.setdefault("additionalProperties", False)
        return inner
    return [_closed(item) for item in part] if isinstance(part, list) else part
