"""Each arm in a real launch of free-threaded CPython: it does what it says, and its control does not. No timing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import knee.native
from knee.causes.trial import ARMS
from knee.errors import KneeError
from knee.launch.host import AgentHost
from knee.launch.interpreter import find
from knee.plan.treatment import Arm, Treatment
from knee.plan.workload import from_target

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def python() -> str:
    try:
        return find("3.13t").path
    except KneeError:
        pytest.skip("no free-threaded CPython 3.13 on this machine")


def launched(
    file: Path,
    python: str,
    arm: str,
    variant: str = "arm",
    options: Mapping[str, Any] | None = None,
    workers: int = 2,
    watch: bool = False,
    env: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Launch once with an arm; returns what the arm said, the last result's ``repr`` and what was seen."""
    side = "control" if variant != "arm" else "arm"
    given = {"folder": str(file.parent), "workers": workers, **(options or {})}
    treatment = Treatment(
        "it",
        from_target(f"{file}:operation"),
        python,
        env=env or {},
        arm=Arm(str(ARMS / f"{arm}.py"), side, given),
    )
    host = AgentHost([treatment], native=knee.native.library_path(), timeout=30)
    try:
        host.start()
        host.open("threads", workers, [0])
        host.rep(0, 3, probe=False)
        seen = host.watch(0, 50)[1] if watch else {}
        output = host.outputs([0])["digests"][0]["repr"]
        told = dict(host.close()["arm"])
    finally:
        host.stop()
    return {**told, "output": output, "seen": dict(seen)}


def bench(folder: Path, source: str) -> Path:
    file = folder / "bench.py"
    file.write_text(source)
    return file


COUNT = """
import ctypes
SETTING = ["endpoint", 1.5]
def setup(workers):
    return [{"setting": SETTING, "own": [index]} for index in range(workers)]
def operation(state):
    return ctypes.c_uint32.from_address(id(state["setting"]) + 12).value == 0xFFFFFFFF, \\
        ctypes.c_uint32.from_address(id(state["own"]) + 12).value == 0xFFFFFFFF
"""


def test_immortal_treats_what_is_shared_and_nothing_else(tmp_path: Path, python: str) -> None:
    file = bench(tmp_path, COUNT)
    told = launched(file, python, "immortal")
    assert told["honoured"]
    assert told["output"] == "(True, False)"
    assert any(entry["owner"] == "state" for entry in told["found"])
    assert launched(file, python, "immortal", "control")["output"] == "(False, False)"


def test_one_worker_alone_has_the_same_objects_immortal(tmp_path: Path, python: str) -> None:
    assert launched(bench(tmp_path, COUNT), python, "immortal", options={"workers": 2}, workers=1)[
        "output"
    ] == ("(True, False)")


def test_immortal_can_be_narrowed_to_one_object(tmp_path: Path, python: str) -> None:
    told = launched(bench(tmp_path, COUNT), python, "immortal", options={"only": ["state['setting'][1]"]})
    assert told["output"] == "(False, False)"
    assert told["objects"] == 1


def test_rounded_objects_lie_on_lines_of_their_own(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "class Slot:\n    __slots__ = ('x',)\n"
        "def setup(workers):\n"
        "    made = [Slot() for _ in range(64)]\n"
        "    return [made[worker::workers] for worker in range(workers)]\n"
        "def operation(state):\n    return all(id(slot) % 64 == 0 for slot in state)\n",
    )
    rounded = launched(file, python, "rounded")
    assert rounded["honoured"]
    assert rounded["output"] == "True"
    plain = launched(file, python, "rounded", "control", {"mode": "off"})
    assert plain["output"] == "False"
    assert plain["near"]["kinds"][0][0] == "Slot"


def test_rounding_follows_the_line_that_allocates(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "class Slot:\n    __slots__ = ('x',)\n    def __init__(self):\n        self.x = 0\n"
        "def setup(workers):\n"
        "    one = [Slot() for _ in range(64)]\n"
        "    two = [Slot() for _ in range(64)]\n"
        "    return [(one, two)] * workers\n"
        "def operation(state):\n"
        "    return [all(id(slot) % 64 == 0 for slot in slots) for slots in state]\n",
    )
    recorded = launched(file, python, "rounded", options={"record": True})
    lines = {line: blocks for _, line, blocks in recorded["lines"]}
    assert min(lines[6], lines[7]) >= 64
    assert lines.get(4, 0) < min(lines[6], lines[7])
    narrowed = launched(file, python, "rounded", options={"lines": [[str(file), 7]]})
    assert narrowed["output"] == "[False, True]"


def test_rounding_malloc_follows_the_line_that_has_native_code_allocate(tmp_path: Path, python: str) -> None:
    shim = knee.native.shim_path()
    if shim is None:
        pytest.skip("the preloadable malloc is built on Linux only")
    file = bench(
        tmp_path,
        "import ctypes\nmalloc = ctypes.CDLL(None).malloc\nmalloc.restype = ctypes.c_void_p\n"
        "def setup(workers):\n"
        "    one = [malloc(40) for _ in range(64)]\n"
        "    two = [malloc(40) for _ in range(64)]\n"
        "    return [(one, two)] * workers\n"
        "def operation(state):\n"
        "    return [all(address % 64 == 0 for address in addresses) for addresses in state]\n",
    )
    env = {"LD_PRELOAD": shim, "KNEE_MALLOC_MODE": "round", "KNEE_MALLOC_WHEN": "called"}
    recorded = launched(file, python, "rounded_malloc", env=env)
    lines = {line: blocks for _, line, blocks in recorded["lines"]}
    assert min(lines[5], lines[6]) >= 64
    narrowed = launched(file, python, "rounded_malloc", options={"lines": [[str(file), 6]]}, env=env)
    assert narrowed["output"] == "[False, True]"
    assert not launched(file, python, "rounded_malloc")["honoured"]


def test_a_private_module_is_executed_for_each_worker(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import itertools, threading\nGUARD = threading.Lock()\nOTHER = []\n"
        "def setup(workers):\n    return [None] * workers\n"
        "def operation(state):\n    OTHER.append(id(GUARD))\n    return len(set(OTHER))\n",
    )
    assert launched(file, python, "private_module")["output"] == "1"
    assert launched(file, python, "private_module", "control")["output"] == "1"
    told = launched(file, python, "private_module", options={"private": ["GUARD"]})
    assert told["output"] == "2"
    assert told["names"] == ["GUARD", "OTHER"]


def test_private_imports_have_hidden_instances_of_their_own(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import random\nSEEN = []\ndef setup(workers):\n    return [None] * workers\n"
        "def operation(state):\n    SEEN.append(id(random._inst))\n    return len(set(SEEN))\n",
    )
    told = launched(file, python, "private_imports")
    assert told["modules"] == ["random"]
    assert told["output"] == "2"
    assert launched(file, python, "private_imports", "control")["output"] == "1"


def test_private_arguments_are_copied_apart_locks_too(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import threading\nSEEN = []\ndef setup(workers):\n    shared = [threading.Lock(), []]\n"
        "    return [(shared, index) for index in range(workers)]\n"
        "def operation(state):\n    SEEN.append(id(state[0][0]))\n    return len(set(SEEN))\n",
    )
    assert launched(file, python, "private_arguments")["output"] == "2"
    assert launched(file, python, "private_arguments", "control")["output"] == "1"


def test_worker_made_states_are_owned_by_their_worker(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import threading\ndef setup(workers):\n    return [threading.get_ident()] * workers\n"
        "def operation(state):\n    return state == threading.get_ident()\n",
    )
    assert launched(file, python, "worker_made")["output"] == "True"
    assert launched(file, python, "worker_made", "control")["output"] == "False"


def test_no_collection_runs_without_the_collector(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import gc\nfrom gc import collect\ndef operation():\n    before = gc.get_stats()[2]['collections']\n"
        "    gc.collect(); collect()\n    return gc.get_stats()[2]['collections'] - before\n",
    )
    assert launched(file, python, "collector")["output"] == "0"


def test_threads_are_carried_by_threads_that_stay(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import threading\nSEEN = set()\ndef operation():\n    for _ in range(5):\n"
        "        thread = threading.Thread(target=lambda: SEEN.add(threading.get_native_id()))\n"
        "        thread.start(); thread.join()\n        assert not thread.is_alive()\n    return len(SEEN)\n",
    )
    told = launched(file, python, "thread_reuse")
    assert told["starts"] > 20
    assert int(told["output"]) <= 6


def test_idle_threads_take_slots_between_workers(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import threading\nORDER = []\nMINE = threading.local()\n"
        "def setup(workers):\n    return list(range(workers))\n"
        "def operation(state):\n"
        "    if not hasattr(MINE, 'slot'):\n"
        "        MINE.slot = len(ORDER); ORDER.append(threading.current_thread().name)\n"
        "    return [name.startswith('worker') for name in ORDER]\n",
    )
    between = launched(file, python, "idle", options={"between": 2})
    assert between["output"] == "[True, False, False, True, False, False]"
    before = launched(file, python, "idle", "control", {"between": 2, "where": "before"})
    assert before["output"] == "[False, False, False, False, True, True]"
    after = launched(file, python, "idle", "control", {"between": 1, "where": "after"})
    assert after["output"] == "[True, True, False, False]"


def test_a_container_that_states_share_is_spread(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "SEEN = []\ndef setup(workers):\n    counts = [0] * workers\n    return [(counts, i) for i in range(workers)]\n"
        "def operation(state):\n    counts, index = state\n    counts[index] += 1\n    SEEN.append(id(counts))\n"
        "    return len(set(SEEN))\n",
    )
    assert launched(file, python, "spread")["output"] == "2"
    assert launched(file, python, "spread", "control")["output"] == "1"


def test_views_of_one_buffer_are_laid_apart(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import ctypes\ndef setup(workers):\n    base = memoryview(bytearray(b'ab'))\n"
        "    return [base[i:i + 1] for i in range(workers)]\nSEEN = {}\n"
        "def operation(view):\n    SEEN[bytes(view)] = ctypes.addressof(ctypes.c_char.from_buffer(view))\n"
        "    return max(SEEN.values()) - min(SEEN.values())\n",
    )
    assert int(launched(file, python, "spread")["output"]) >= 512
    assert int(launched(file, python, "spread", "control")["output"]) < 64


def test_the_scout_tells_what_there_is_to_remove(tmp_path: Path, python: str) -> None:
    file = bench(
        tmp_path,
        "import gc, threading\nGUARD = threading.Lock()\nRESULTS = [0] * 100\nFRESH = iter(range(10**9))\n"
        "def setup_worker(index, workers):\n    return index\n"
        "def operation(place):\n    with GUARD:\n        RESULTS[place] = next(FRESH) + 1000\n    gc.collect()\n"
        "    thread = threading.Thread(target=int)\n    thread.start()\n    thread.join()\n",
    )
    told = launched(file, python, "scout", watch=True)
    assert "GUARD" in [lock["name"] for lock in told["locks"]]
    (container,) = [one for one in told["containers"] if one["name"] == "RESULTS"]
    assert container["apart"]
    assert not container["held"]
    seen = told["seen"]
    assert seen["collections"] >= 50
    assert seen["starts"] >= 50
    assert seen["collecting"][0][1] == 10
    assert seen["starting"][0][1] == 12


def test_the_scout_names_what_switches_the_gil_on_only_if_something_does(tmp_path: Path, python: str) -> None:
    file = bench(tmp_path, "def operation():\n    pass\n")
    assert launched(file, python, "scout", watch=True)["gil"] == []
