"""Whatever the files hold: never a traceback, and what is unknown says why."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from knee.machine import linux, workers
from knee.machine.hazards import Place, after, before, snapshot, unchecked
from tests.machine.trees import MemoryTree, load

NAMES = ("arm_big_little", "container_v1", "vm_2vcpu", "intel_hybrid")
MACHINES = {name: load(name) for name in NAMES}
HAZARD_FILES = (
    "proc/stat",
    "proc/loadavg",
    "proc/vmstat",
    "proc/meminfo",
    "proc/pressure/cpu",
    "proc/pressure/memory",
    "proc/self/stat",
    "proc/1/stat",
    "proc/self/personality",
    "proc/sys/kernel/randomize_va_space",
    "sys/class/power_supply/BAT0/type",
    "sys/class/power_supply/BAT0/status",
    "sys/fs/cgroup/cpu.stat",
)
CONTENT = st.one_of(
    st.binary(max_size=30),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [
            b"",
            b"0",
            b"-1",
            b"99999999999999999999999",
            b"0-3",
            b"3-0",
            b"max",
            b"max max",
            b"100000 0",
            b"cpu  1 2 3 4 5 6 7 8 9 10",
            b"1 (a) b) R 0 1 1 0 -1 4 5 6 7 8 9 1 2 3 4 20 0 1 0 5",
            b"some avg10=7.00 avg60=0.20 avg300=1.15 total=13921113",
            b"0::/../../x",
            b"0::/a/b\n1:cpu:/c",
            b"1 2 0:3 / /\\400 rw - cgroup2 x rw\n1 2 0:3 / /c rw - cgroup c rw,cpu",
            b"Battery",
            b"Discharging",
        ]
    ),
    st.just(PermissionError(13, "Permission denied")),
    st.just(IsADirectoryError(21, "Is a directory")),
)


@st.composite
def spoiled(draw: st.DrawFn) -> MemoryTree:
    """A recorded machine with some files gone and some replaced by anything."""
    machine = MACHINES[draw(st.sampled_from(NAMES))]
    paths = sorted({*machine.files, *HAZARD_FILES})
    gone = draw(st.sets(st.sampled_from(paths), max_size=10))
    replaced = draw(st.dictionaries(st.sampled_from(paths), CONTENT, max_size=20))
    files = {path: data for path, data in machine.files.items() if path not in gone}
    return MemoryTree({**files, **replaced})


@settings(max_examples=80, deadline=None)
@given(spoiled(), spoiled())
def test_any_tree_gives_a_machine_and_hazards_without_an_error(tree: MemoryTree, later: MemoryTree) -> None:
    topology, limits = linux.read(tree)
    useful = workers.useful(topology, limits)
    assert useful.count >= 1
    assert useful.why
    assert topology.cpus or topology.unknown["cpus"]
    assert topology.line or topology.unknown["line"]
    assert limits.affinity or limits.unknown["affinity"]
    json.dumps([topology.to_json(), limits.to_json(), useful.to_json()])
    place = Place("linux", tree, topology, limits, workers=3)
    first = snapshot(place)
    json.dumps(first.to_json())
    assert all(unchecked(first).values())
    last = snapshot(Place("linux", later, topology, limits, workers=3))
    for hazard in [*before(first, place), *after(first, place, last)]:
        assert hazard.text
        assert hazard.advice
        assert hazard.seen
