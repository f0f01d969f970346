"""A report as JSON (``knee schema`` describes it)."""

from __future__ import annotations

import json
from typing import Any


def render(report: Any) -> str:
    """Any report that has ``to_json``, as text with a newline at its end."""
    return json.dumps(report.to_json(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
