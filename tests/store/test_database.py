"""What is stored is read back, a block is all or nothing, and nothing stored is ever lost."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knee.errors import KneeError
from knee.launch.sample import Loss, RepResult, WorkerSample
from knee.store.database import Store
from tests.synthetic import INTERPRETER, MACHINE, Synthetic, perfect

ROOT = Path(__file__).parents[2]


def rep(position: int = 0, block: int = 0, **changes: object) -> RepResult:
    samples = tuple(WorkerSample(worker, 1_000 + worker, 5_000 + worker, 10) for worker in range(2))
    given: dict[str, object] = {
        "treatment": 0,
        "kind": "threads",
        "workers": 2,
        "warmup": False,
        "samples": samples,
    }
    return RepResult(block, position, **{**given, **changes})  # type: ignore[arg-type]


def test_a_run_is_read_back_as_it_began(store: Store) -> None:
    made = Synthetic(fingerprint={"a": [1, None]}, status=None)
    run = store.begin(made.record())
    found = store.run(run)
    assert found.record == made.record()
    assert (found.status, found.finished, found.launches, found.name) == ("running", None, 0, "1")


def test_reps_hold_the_time_from_first_start_to_last_end_and_all_calls(store: Store) -> None:
    run = store.begin(Synthetic().record())
    one, other = rep(0), rep(1, warmup=True, treatment=-1, kind="processes")
    store.append_block(run, 3, 0, 0, [one, other])
    reps = store.reps(run)
    assert reps.time.tolist() == [one.time, other.time] == [4.001e-6, 4.001e-6]
    assert reps.calls.tolist() == [20, 20]
    assert reps.launch.tolist() == [3, 3]
    assert reps.kind.tolist() == ["threads", "processes"]
    assert reps.warmup.tolist() == [False, True]
    assert reps.treatment.tolist() == [0, -1]


def test_reps_carry_the_law_of_their_run_even_when_there_are_none(store: Store) -> None:
    assert store.reps(store.begin(Synthetic(law="fixed").record())).law == "fixed"
    assert store.reps(Synthetic(law="fixed", launches=1).into(store)).law == "fixed"


COUNT = st.none() | st.integers(0, 2**53)
SAMPLES = st.builds(
    WorkerSample,
    worker=st.just(0),
    start=st.integers(0, 2**62),
    end=st.integers(0, 2**62),
    calls=st.integers(0, 2**40),
    **dict.fromkeys(
        (
            "user",
            "system",
            "cpu",
            "voluntary",
            "involuntary",
            "wait",
            "minor_faults",
            "major_faults",
            "cpu_start",
            "cpu_end",
            "cycles",
            "instructions",
        ),
        COUNT,
    ),
    speed_before=st.none() | st.floats(0, 1e12),
    speed_after=st.none() | st.floats(0, 1e12),
    phases=st.just({}),
)


def test_samples_are_exact_and_unknown_stays_unknown(store: Store) -> None:
    run = store.begin(Synthetic().record())
    stored: list[WorkerSample] = []

    @given(SAMPLES)
    @settings(deadline=None)
    def check(sample: WorkerSample) -> None:
        store.append_block(run, 0, 0, len(stored), [rep(samples=(sample,))])
        stored.append(sample)

    check()
    found = store.samples(run)
    assert len(found) == len(stored)
    for field in fields(WorkerSample):
        if field.name == "phases":
            continue
        for sample, value in zip(stored, getattr(found, field.name), strict=True):
            expected = getattr(sample, field.name)
            assert math.isnan(value) if expected is None else value == expected, field.name


def test_samples_of_a_run_without_any_are_empty_columns(store: Store) -> None:
    found = store.samples(store.begin(Synthetic().record()))
    assert len(found) == 0
    assert found.kinds == ()
    assert found.start.dtype == np.int64


def test_phases_are_stored_beside_their_sample(store: Store) -> None:
    run = Synthetic(launches=1, phases={"parse": 0.25}).into(store)
    phases = store._connection.execute("SELECT DISTINCT name, count FROM phase").fetchall()
    assert phases == [("parse", 1000)]
    assert len(store.samples(run)) == store._connection.execute("SELECT count(*) FROM phase").fetchone()[0]


def test_a_block_is_stored_whole_or_not_at_all(store: Store) -> None:
    run = store.begin(Synthetic().record())
    store.append_block(run, 0, 0, 0, [rep(0), rep(1)])
    with pytest.raises(Exception, match="UNIQUE"):
        store.append_block(run, 0, 0, 1, [rep(0), rep(1), rep(1)])
    assert store.blocks(run) == {(0, 0, 0)}
    store.append_block(run, 0, 0, 1, [rep(0)])  # the failure left no transaction open
    assert store.blocks(run) == {(0, 0, 0), (0, 0, 1)}


def test_losses_hazards_and_events_are_kept_in_order(store: Store) -> None:
    run = store.begin(Synthetic().record())
    losses = [
        Loss(0, 0, None, "unavailable", "refused", worker_kind="subinterpreters"),
        Loss(
            1,
            0,
            0,
            "raised",
            "ValueError",
            "Traceback",
            worker=3,
            treatment=0,
            workers=4,
            worker_kind="threads",
            rep=2,
        ),
    ]
    for loss in losses:
        store.loss(run, loss)
    hazards = [
        {"id": "turbo", "text": "t", "advice": "a"},
        {"id": "load", "text": "t", "advice": "a", "seen": "s"},
    ]
    store.hazards(run, "before", hazards[:1])
    store.hazards(run, "after", hazards[1:])
    store.event(run, "calibrated", {"calls": 3})
    assert store.losses(run) == losses
    assert store.hazards_of(run) == [("before", hazards[0]), ("after", hazards[1])]
    assert [(kind, data) for _, kind, data in store.events(run)] == [("calibrated", {"calls": 3})]


def test_launches_tell_how_they_ended(store: Store) -> None:
    run = store.begin(Synthetic().record())
    store.launch_started(run, 0, 0)
    store.launch_started(run, 0, 1)
    store.launch_started(run, 1, 0)
    store.launch_ended(run, 0, 0, "ended", INTERPRETER, {"gil": [False]})
    store.launch_ended(run, 0, 1, "crashed")
    found = store.launches(run)
    assert [(launch.launch, launch.group, launch.status) for launch in found] == [
        (0, 0, "ended"),
        (0, 1, "crashed"),
        (1, 0, "running"),
    ]
    assert found[0].interpreter == INTERPRETER
    assert found[1].facts is None
    assert found[2].ended is None


def test_a_finished_run_records_the_speed_of_its_cores_for_later_ones(store: Store) -> None:
    first, second = (Synthetic(seed=seed).into(store) for seed in (1, 2))
    speeds = store.core_speeds("made-up")
    assert len(speeds) == 2
    assert all(0.99e9 <= speed <= 1.01e9 for speed in speeds)
    assert store.core_speeds("made-up", before=second) == speeds[:1]
    assert store.core_speeds("made-up", before=first) == store.core_speeds("another") == []


def test_a_run_without_speed_probes_records_none(store: Store) -> None:
    run = store.begin(Synthetic().record())
    store.append_block(run, 0, 0, 0, [rep()])
    store.finish(run)
    assert store.core_speeds(MACHINE["id"]) == []


def test_runs_are_named_by_number_or_as_the_last(store: Store) -> None:
    runs = [
        Synthetic(launches=1, status=status).into(store) for status in ("finished", "interrupted", "finished")
    ]
    assert store.resolve("2") == runs[1]
    assert store.resolve("last") == runs[2]
    assert store.resolve("last", resumable=True) == runs[1]
    for name in ("4", "-1", "0", "first", "²", "9" * 30):
        with pytest.raises(KneeError, match=r"there is no run|is not a run"):
            store.resolve(name)


def test_the_last_run_of_an_empty_store_is_an_error(store: Store) -> None:
    with pytest.raises(KneeError, match="there is no run in"):
        store.resolve("last")
    with pytest.raises(KneeError, match="no run to go on with"):
        store.resolve("last", resumable=True)


def test_what_was_interrupted_can_be_reopened_and_what_runs_or_is_finished_cannot(store: Store) -> None:
    interrupted = Synthetic(launches=2, status="interrupted").into(store)
    store.reopen(interrupted)
    assert store.run(interrupted).status == "running"
    assert store.run(interrupted).finished is None
    assert [kind for _, kind, _ in store.events(interrupted)] == ["resumed"]
    with pytest.raises(KneeError, match="is being measured"):
        store.reopen(interrupted)
    finished = Synthetic(launches=1).into(store)
    with pytest.raises(KneeError, match="is finished"):
        store.reopen(finished)


def test_a_resumed_launch_keeps_its_blocks(store: Store) -> None:
    run = store.begin(Synthetic().record())
    store.launch_started(run, 0, 0)
    store.append_block(run, 0, 0, 0, [rep()])
    store.launch_ended(run, 0, 0, "interrupted")
    store.launch_started(run, 0, 0)
    store.append_block(run, 0, 0, 1, [rep(block=1)])
    assert len(store.reps(run)) == 2
    assert [launch.status for launch in store.launches(run)] == ["running"]


def test_printing_is_counted_where_it_was_timed(store: Store) -> None:
    run = store.begin(Synthetic().record())
    store.append_block(run, 0, 0, 0, [rep(0, printed=7), rep(1, printed=9, warmup=True), rep(2)])
    store.append_block(run, 0, 0, 1, [rep(0, printed=5, kind="command")])
    assert store.printed(run) == (7, 1)


KILLED = """
import os, signal, sys
from knee.store.database import Store
from tests.synthetic import Synthetic
from tests.store.test_database import rep
store = Store.open(sys.argv[1])
run = store.begin(Synthetic().record())
store.launch_started(run, 0, 0)
store.append_block(run, 0, 0, 0, [rep(0), rep(1)])
with store._transaction() as db:
    from knee.store import inserts
    inserts.block(db, run, 0, 0, 1, [rep(0)])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_loses_the_block_under_way_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "knee.db"
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    with Store.open(path) as store:
        assert store.run(1).status == "unfinished"
        assert store.blocks(1) == {(0, 0, 0)}
        assert len(store.reps(1)) == 2
        assert store.resolve("last", resumable=True) == 1
        assert store.reopen(1).status == "running"
        store.append_block(1, 0, 0, 1, [rep(0)])
        store.finish(1)
        assert store.run(1).status == "finished"


def test_two_runs_can_be_stored_at_once(tmp_path: Path) -> None:
    with Store.open(tmp_path / "knee.db") as one, Store.open(tmp_path / "knee.db") as other:
        first, second = one.begin(Synthetic(seed=1).record()), other.begin(Synthetic(seed=2).record())
        for block in range(5):
            one.append_block(first, 0, 0, block, [rep()])
            other.append_block(second, 0, 0, block, [rep(), rep(1)])
        assert len(one.reps(first)) == 5
        assert len(one.reps(second)) == 10


def test_a_reader_sees_a_run_while_it_is_measured(tmp_path: Path) -> None:
    with Store.open(tmp_path / "knee.db") as writer:
        run = Synthetic(curves={"threads": perfect}, launches=2, status=None).into(writer)
        with Store.open(tmp_path / "knee.db", readonly=True) as reader:
            assert reader.run(run).status == "running"
            assert len(reader.reps(run)) == len(writer.reps(run))
