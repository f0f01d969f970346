"""The runs of a store are listed, whatever became of them."""

from __future__ import annotations

import json
from pathlib import Path

from knee.store.database import Store
from tests.cli.conftest import Knee
from tests.schemas import follows
from tests.synthetic import Synthetic


def test_each_run_has_a_line_with_its_end(knee: Knee, tmp_path: Path) -> None:
    with Store.open(tmp_path / "knee.db") as store:
        for status in ("finished", "interrupted", "failed"):
            Synthetic(launches=1, status=status, workload=f"{status}[0].py:f").into(store)  # type: ignore[arg-type]
        Synthetic(launches=1, status=None).into(store)
        store._connection.execute("UPDATE run SET pid = 0 WHERE status = 'running'")
    lines = knee("list").out.splitlines()
    for status in ("finished", "interrupted", "failed"):
        assert [line for line in lines if f"{status}[0].py:f" in line and line.rstrip().endswith(status)]
    assert [line for line in lines if line.rstrip().endswith("unfinished")]


def test_the_json_follows_its_schema(knee: Knee, tmp_path: Path) -> None:
    with Store.open(tmp_path / "knee.db") as store:
        Synthetic(launches=2).into(store)
        Synthetic(launches=1, status=None, machine={}).into(store)
    listed = json.loads(knee("list", "--json", "-").out)
    follows(listed, "list")
    assert [run["status"] for run in listed["runs"]] == ["finished", "running"]


def test_a_store_without_runs_says_so(knee: Knee, tmp_path: Path) -> None:
    Store.open(tmp_path / "knee.db").close()
    assert knee("list").out.startswith("No runs in ")
    assert json.loads(knee("list", "--json", "-").out)["runs"] == []


def test_listing_makes_no_store(knee: Knee, tmp_path: Path) -> None:
    ended = knee("list")
    assert ended.code == 2
    assert "there is no store" in ended.err
    assert not (tmp_path / "knee.db").exists()
