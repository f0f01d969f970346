"""What is known of a machine is described by the schema, on every recorded machine and on this one."""

from __future__ import annotations

import json

import pytest

from knee.machine import describe, linux, workers
from knee.machine.description import Machine
from knee.machine.lines import Line, assumed
from tests.machine.trees import FIXTURES, load
from tests.schemas import follows


@pytest.mark.parametrize("name", sorted(path.stem for path in FIXTURES.glob("*.tree")))
def test_recorded_machines(name: str) -> None:
    topology, limits = linux.read(load(name))
    line = Line(topology.line, assumed=assumed(topology.architecture, topology.system))
    machine = Machine(topology, limits, line, workers.useful(topology, limits), id="i", name="n")
    follows(json.loads(json.dumps(machine.to_json(), allow_nan=False)), "machine")


def test_this_machine() -> None:
    follows(json.loads(json.dumps(describe().to_json(), allow_nan=False)), "machine")
