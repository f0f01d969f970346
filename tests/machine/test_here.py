"""This machine, whichever it is."""

from __future__ import annotations

import json
import os
from importlib import resources

import jsonschema
import pytest

import knee.machine
from knee.machine import here
from knee.machine.description import Machine


def test_useful_workers_is_between_one_and_the_cpus() -> None:
    assert 1 <= knee.machine.useful_workers() <= (os.cpu_count() or 1)


def test_a_description_is_the_json_of_the_schema() -> None:
    data = knee.machine.describe().to_json()
    schema = json.loads((resources.files("knee") / "schemas" / "machine.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json.dumps(data, allow_nan=False)), schema)
    assert data["useful_workers"]["count"] == knee.machine.useful_workers()


def test_identity_stays_from_call_to_call() -> None:
    topology, _ = here.read()
    assert here.identity(topology) == here.identity(here.read()[0])
    assert len(here.identity(topology)) == 12


def test_a_system_without_a_reader_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "system", lambda: "plan9")
    topology, _ = here.read()
    assert "no reader for plan9" in topology.unknown["topology"]
    assert len(topology.cpus) == os.cpu_count()
    described = knee.machine.describe()
    assert isinstance(described, Machine)
    assert described.useful_workers.count >= 1


@pytest.mark.real
def test_all_probes_run_on_this_machine() -> None:
    """No timing is asserted: each probe gives values or says why not."""
    shares: dict[str, float] = {}
    machine = knee.machine.describe(probe=True, seed=1, progress=shares.__setitem__)
    schema = json.loads((resources.files("knee") / "schemas" / "machine.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json.dumps(machine.to_json(), allow_nan=False)), schema)
    assert shares == dict.fromkeys(("speed", "line", "latency", "ceiling", "bandwidth"), 1.0)
    assert machine.probes is not None
    if len(machine.topology.cores) > 1:
        assert machine.line.measured in (None, 32, 64, 128, 256)
