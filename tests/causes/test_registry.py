"""Knee's own causes, and those that others register."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from knee.causes import registry
from knee.causes.allocator import Allocator
from knee.causes.cause import Cause, Where
from knee.causes.false_sharing_native import FalseSharingNative
from knee.causes.trial import ARMS
from knee.errors import KneeError
from tests.causes.simulated import scene

PROMISED = {
    "gil",
    "refcount",
    "false-sharing.objects",
    "false-sharing.native",
    "false-sharing.slots",
    "sharing.container",
    "lock",
    "allocator",
    "gc",
    "kernel",
    "oversubscription",
    "machine.cores",
    "machine.quota",
    "machine.bandwidth",
    "thread-churn",
}


WHERE = Where("/w/bench.py", 3, "name")


class Mine(Cause):
    id = "mine"


def registered(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    entry = EntryPoint("mine", value, registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])


def test_every_promised_cause_is_there_once() -> None:
    names = [cause.id for cause in registry.causes()]
    assert set(names) >= PROMISED
    assert len(set(names)) == len(names)


def test_a_cause_of_another_package_is_tried_too(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch, f"{__name__}:Mine")
    assert registry.causes()[-1].id == "mine"


@pytest.mark.parametrize("value", ["nowhere:Mine", f"{__name__}:PROMISED"])
def test_one_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    registered(monkeypatch, value)
    with pytest.raises(KneeError):
        registry.causes()


def test_every_arm_has_its_half_in_the_target() -> None:
    known = scene()
    for cause in registry.causes():
        for removal in cause.removals(known):
            for trial in (removal.arm, *removal.controls):
                assert trial.file is None or trial.file.is_file()
                assert trial.arm == removal.name
    assert {path.stem for path in ARMS.glob("*.py")} >= {"immortal", "rounded", "idle", "spread", "together"}


def test_labels_tell_all_trials_apart() -> None:
    labels = [
        trial.label
        for cause in registry.causes()
        for removal in cause.removals(scene())
        for trial in (removal.arm, *removal.controls)
    ]
    assert len(set(labels)) == len(labels)


def test_each_cause_says_what_to_do_about_it() -> None:
    known = scene(quota=1.0)
    for cause in registry.causes():
        assert cause.mend(known, WHERE).text, cause.id
        assert cause.prove(known, WHERE).startswith("knee "), cause.id


def test_placement_is_asked_for_only_where_workers_start_no_threads() -> None:
    cores = next(cause for cause in registry.causes() if cause.id == "machine.cores")
    assert [one.name for one in cores.removals(scene())] == ["pinned"]
    for rep in ({"starts": 40, "threads": 3}, {"starts": 0, "threads": 6}):
        assert not cores.removals(scene(watched=[{"workers": 2, "lines": [], **rep}]))


def test_nothing_is_preloaded_into_a_static_program_and_that_is_said() -> None:
    """The loader would ignore it, and the causes would come out innocent."""
    linked = scene(static=True, shim=None, heaps=None)
    assert "statically" in FalseSharingNative().refusal(linked)
    assert all("LD_PRELOAD" not in removal.arm.env for removal in Allocator().removals(linked))
    assert "statically" in Allocator().refusal(linked) or Allocator().removals(linked)
