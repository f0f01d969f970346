"""Reports of searches as JSON, and back."""

from __future__ import annotations

import json

import pytest

from knee.analysis.why import WhyReport
from tests.causes.reports import ALL
from tests.schemas import follows


@pytest.mark.parametrize("name", ALL)
def test_the_json_follows_its_schema_and_leads_back_to_the_report(name: str) -> None:
    text = json.dumps(ALL[name].to_json(), allow_nan=False)
    follows(json.loads(text), "why")
    again = WhyReport.from_json(json.loads(text))
    assert json.dumps(again.to_json(), allow_nan=False) == text
