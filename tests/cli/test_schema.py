"""Every verb's JSON is described."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from tests.cli.conftest import Knee

SCHEMAS = sorted(
    entry.name.removesuffix(".json")
    for entry in (resources.files("knee") / "schemas").iterdir()
    if entry.name.endswith(".json")
)


@pytest.mark.parametrize("verb", SCHEMAS)
def test_each_schema_is_one_and_is_printed(knee: Knee, verb: str) -> None:
    ended = knee("schema", verb)
    assert ended.code == 0
    schema = json.loads(ended.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"knee {verb} --json"
    assert "schema" in schema["required"]


def test_the_verbs_that_others_rely_on_have_one() -> None:
    assert {"run", "list"} <= set(SCHEMAS)


def test_an_unknown_verb_is_refused_with_those_there_are(knee: Knee) -> None:
    ended = knee("schema", "nope")
    assert ended.code == 2
    assert "there are" in ended.err
    assert "run" in ended.err
