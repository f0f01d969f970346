"""Fixtures that tests of several packages share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from knee.store.database import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "knee.db") as opened:
        yield opened
