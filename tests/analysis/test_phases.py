"""Phases that a workload declares are reported at each worker count."""

from __future__ import annotations

import pytest

from knee.analysis.run import analyse
from knee.store.database import Store
from knee.views import terminal
from tests.synthetic import Synthetic, perfect


def test_each_phase_has_its_time_per_call_and_its_share(store: Store) -> None:
    made = Synthetic(
        curves={"threads": perfect, "processes": perfect},
        workers=(1, 2),
        phases={"merge": 0.25, "parse": 0.5},
        within=0.001,
        between=0.001,
    )
    report = analyse(store, made.into(store))
    for kind in report.kinds:
        assert [(phase.name, phase.workers) for phase in kind.phases] == [
            ("parse", 1),
            ("parse", 2),
            ("merge", 1),
            ("merge", 2),
        ]
        for phase in kind.phases:
            share = made.phases[phase.name]
            assert phase.share == pytest.approx(share, rel=0.01)
            assert phase.time.estimate == pytest.approx(0.1 * share / 1000, rel=0.01)
            assert phase.time.low < phase.time.estimate < phase.time.high
    table = [line.split() for line in terminal.text(report).splitlines() if line.startswith("parse")]
    assert [line[3] for line in table] == ["(50%)", "(50%)"]


def test_a_workload_without_phases_has_none(store: Store) -> None:
    report = analyse(store, Synthetic(launches=2).into(store))
    assert report.kinds[0].phases == ()
    assert "time per call" not in terminal.text(report)
