"""Real launches of the agent, in every interpreter at hand; no timing is asserted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import knee.native
from knee.errors import KneeError
from knee.launch.host import AgentHost, Lost
from knee.launch.interpreter import find
from knee.plan.treatment import Arm, Treatment
from knee.plan.workload import from_statement, from_target

pytestmark = pytest.mark.real

NATIVE = knee.native.library_path()


def _pythons() -> list[str]:
    found = [sys.executable]
    for name in ("3.13t", "3.14t", "3.9", "3.13"):
        try:
            found.append(find(name).path)
        except KneeError:
            continue
    return list(dict.fromkeys(found))


PYTHONS = _pythons()
FREE_THREADED = next((python for python in PYTHONS if python.endswith("t")), None)


@contextmanager
def _launch(
    file: Path,
    name: str,
    python: str = sys.executable,
    *,
    native: str | None = NATIVE,
    timeout: float = 30.0,
    **more: object,
) -> Iterator[AgentHost]:
    treatment = Treatment("it", from_target(f"{file}:{name}"), python, **more)  # type: ignore[arg-type]
    host = AgentHost([treatment], native=native, timeout=timeout)
    try:
        yield host
    finally:
        host.stop()


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    path = tmp_path / "bench.py"
    path.write_text(
        """
import os, sys, threading, time
import knee

def setup(workers):
    return [{"index": i, "maker": threading.get_ident()} for i in range(workers)]

def operation(state):
    with knee.phase("work"):
        state["calls"] = state.get("calls", 0) + 1

def fails(state):
    if state["index"] == 1:
        raise ValueError("boom")

def leaves(state):
    os._exit(3)

def hangs(state):
    time.sleep(1000)

def prints(state):
    print("x" * 100)

def children(state):
    import subprocess
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)

def starves(state):
    raise MemoryError

class torn:
    @staticmethod
    def setup(workers):
        return [[] for _ in range(workers)]
    @staticmethod
    def operation(state):
        state.append(1)
    @staticmethod
    def teardown(states):
        open(os.environ["TORN"], "w").write(repr([len(s) for s in states]))
"""
    )
    return path


@pytest.mark.parametrize("native", [NATIVE, None], ids=["native", "plain"])
@pytest.mark.parametrize("kind", ["threads", "processes", "subinterpreters"])
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).name)
def test_every_kind_of_worker_measures_in_every_interpreter(
    bench: Path, python: str, kind: str, native: str | None
) -> None:
    with _launch(bench, "operation", python, native=native) as host:
        facts = host.start()
        version = tuple(map(int, facts["version"].split(".")[:2]))
        if kind == "subinterpreters" and version < (3, 13):
            with pytest.raises(Lost, match="need CPython") as caught:
                host.open("subinterpreters", 2, [0])
            assert caught.value.kind == "unavailable"
            return
        host.open(kind, 2, [0])  # type: ignore[arg-type]
        samples, printed = host.rep(0, 50, probe=True)
        assert [sample.worker for sample in samples] == [0, 1]
        assert all(sample.end > sample.start and sample.calls == 50 for sample in samples)
        assert all(sample.phases["work"][0] == 50 for sample in samples)
        assert printed == 0
        if native is not None:
            assert all(sample.speed_before and sample.speed_after for sample in samples)
        closed = host.close()
        assert len(closed["gil"]) == 2


@pytest.mark.skipif(FREE_THREADED is None, reason="no free-threaded interpreter on this machine")
def test_a_free_threaded_interpreter_says_that_its_gil_stayed_off(bench: Path) -> None:
    assert FREE_THREADED is not None
    with _launch(bench, "operation", FREE_THREADED) as host:
        assert host.start()["free_threaded"]
        host.open("threads", 2, [0])
        host.rep(0, 10, probe=False)
        assert host.close()["gil"] == [False, False]


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_one_worker_can_run_alone_in_a_pool_of_several(bench: Path, kind: str) -> None:
    with _launch(bench, "operation") as host:
        host.start()
        host.open(kind, 3, [0])  # type: ignore[arg-type]
        [sample], _ = host.rep(0, 5, probe=False, alone=1)
        assert (sample.worker, sample.calls) == (1, 5)
        everyone, _ = host.rep(0, 5, probe=False)
        assert [found.worker for found in everyone] == [0, 1, 2]


def test_shares_of_a_fixed_total_join_without_gap_or_overlap(tmp_path: Path) -> None:
    path = tmp_path / "shares.py"
    path.write_text(
        "import sys\ndef setup(workers):\n    return [[] for _ in range(workers)]\n"
        # One write: `print` writes text and end apart, and another thread's may come between.
        "def operation(state, share):\n    sys.stdout.write(f'{list(share)}\\n')\n    sys.stdout.flush()\n"
    )
    with _launch(path, "operation") as host:
        host.start()
        host.open("threads", 3, [0])
        host.rep(0, 7, probe=False, shares=[3, 2, 2])
        lines = sorted(host.printed().split("\n"))
    assert [line for line in lines if line] == ["[0, 1, 2]", "[3, 4]", "[5, 6]"]


def test_a_worker_that_raises_is_told_with_its_traceback_and_number(bench: Path) -> None:
    with _launch(bench, "fails") as host:
        host.start()
        host.open("threads", 3, [0])
        with pytest.raises(Lost) as caught:
            host.rep(0, 5, probe=False)
    lost = caught.value
    assert (lost.kind, lost.worker, lost.text) == ("raised", 1, "ValueError: boom")
    assert "in fails" in lost.traceback
    assert "agent" not in lost.traceback


def test_a_workload_that_leaves_is_told_with_its_exit_code(bench: Path) -> None:
    with _launch(bench, "leaves") as host:
        host.start()
        host.open("threads", 1, [0])
        with pytest.raises(Lost, match="exit code 3") as caught:
            host.rep(0, 1, probe=False)
    assert caught.value.kind == "exited"


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_workload_that_crashes_is_told_with_the_signal(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "crash.py"
    path.write_text("import ctypes\ndef operation():\n    ctypes.string_at(0)\n")
    with _launch(path, "operation") as host:
        host.start()
        host.open(kind, 2, [0])  # type: ignore[arg-type]
        with pytest.raises(Lost) as caught:
            host.rep(0, 1, probe=False)
    assert caught.value.kind == "crashed"


def test_a_workload_that_hangs_is_ended_with_all_that_it_started(bench: Path) -> None:
    with _launch(bench, "hangs", timeout=1.0) as host:
        host.start()
        host.open("processes", 2, [0])
        with pytest.raises(Lost) as caught:
            host.rep(0, 1, probe=False)
        assert caught.value.kind == "timeout"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
def test_ending_a_launch_ends_children_that_left_its_session(bench: Path) -> None:
    with _launch(bench, "children") as host:
        pid = host.start()["pid"]
        host.open("threads", 1, [0])
        host.rep(0, 1, probe=False)
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        workers = [Path(f"/proc/{t.name}") for t in Path(f"/proc/{pid}/task").iterdir()]
        assert workers
        found = [c for c in children if "sleep(1000)" in Path(f"/proc/{c}/cmdline").read_text()]
    for child in found:
        state = Path(f"/proc/{child}/stat")
        assert not state.exists() or ") Z" in state.read_text()


def test_want_of_memory_is_told_as_such(bench: Path) -> None:
    with _launch(bench, "starves") as host:
        host.start()
        host.open("threads", 1, [0])
        with pytest.raises(Lost) as caught:
            host.rep(0, 1, probe=False)
    assert caught.value.kind == "memory"


def test_printing_while_timed_is_captured_and_counted(bench: Path) -> None:
    with _launch(bench, "prints") as host:
        host.start()
        host.open("threads", 2, [0])
        _, printed = host.rep(0, 3, probe=False)
        assert printed == 2 * 3 * 101
        assert "x" * 100 in host.printed()


def test_teardown_gets_the_states_as_the_workers_left_them(bench: Path, tmp_path: Path) -> None:
    note = tmp_path / "torn"
    with _launch(bench, "torn", env={"TORN": str(note)}) as host:
        host.start()
        host.open("threads", 2, [0])
        host.rep(0, 4, probe=False)
        host.close()
    assert note.read_text() == "[4, 4]"


def test_an_interpreter_that_is_none_is_told(bench: Path) -> None:
    with _launch(bench, "operation", "/nowhere/python") as host, pytest.raises(Lost, match="does not start"):
        host.start()


def test_an_interpreter_that_is_another_program_is_told(bench: Path) -> None:
    with _launch(bench, "operation", shutil.which("true") or "true") as host, pytest.raises(Lost):
        host.start()


def test_a_statement_is_measured(tmp_path: Path) -> None:
    treatment = Treatment("it", from_statement("sum(d)", "d = dict.fromkeys(range(100))"), sys.executable)
    host = AgentHost([treatment], native=NATIVE, timeout=30)
    try:
        host.start()
        host.open("threads", 1, [0])
        samples, _ = host.rep(0, 1000, probe=False)
        assert samples[0].calls == 1000
    finally:
        host.stop()


def test_an_output_is_digested_alike_in_every_launch(tmp_path: Path) -> None:
    path = tmp_path / "out.py"
    path.write_text(
        "def operation():\n    return {'a': [1, 2, 3]}\ndef other():\n    return {'a': [1, 2, 4]}\n"
    )
    digests = []
    for name in ("operation", "operation", "other"):
        with _launch(path, name) as host:
            host.start()
            host.open("threads", 1, [0])
            digests.append(host.outputs([0])["digests"][0]["digest"])
            host.close()
    assert digests[0] == digests[1] != digests[2]


def test_an_arm_from_any_file_lives_through_the_launch(bench: Path, tmp_path: Path) -> None:
    arm = tmp_path / "my_arm.py"
    arm.write_text(
        "from knee.agent.arm import Arm as Base\n"
        "class Arm(Base):\n"
        "    def install(self): self.seen = ['install']\n"
        "    def copies(self, load, workers): return [load(index > 0) for index in range(workers)]\n"
        "    def states(self, copies, workers): return [copy.states(workers)[0] for copy in copies]\n"
        "    def made(self, copies, states): self.seen.append([len(set(map(id, copies))), len(states)])\n"
        "    def ready(self, index, loaded, state): self.seen.append(index); return state\n"
        "    def order(self, workers): return [0, None, 1]\n"
        "    def check(self): return {'honoured': True, 'seen': self.seen, 'given': self.options}\n"
    )
    with _launch(bench, "operation", arm=Arm(str(arm), "arm", {"line": 64})) as host:
        host.start()
        host.open("threads", 2, [0])
        host.rep(0, 4, probe=False)
        check = host.close()["arm"]
    assert check["seen"][:2] == ["install", [2, 2]]
    assert sorted(check["seen"][2:]) == [0, 1]
    assert check["given"] == {"line": 64}


def test_environment_variables_reach_the_launch_and_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GONE", "1")
    path = tmp_path / "env.py"
    path.write_text(
        "import os\ndef operation():\n    return [os.environ.get('COME'), os.environ.get('GONE')]\n"
    )
    with _launch(path, "operation", env={"COME": "2", "GONE": None}) as host:
        host.start()
        host.open("threads", 1, [0])
        assert host.outputs([0])["digests"][0]["repr"] == "['2', None]"


def test_descriptors_are_given_back(bench: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with _launch(bench, "operation") as host:
            host.start()
            host.open("processes", 2, [0])
            host.rep(0, 1, probe=False)
            host.close()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_an_agent_whose_knee_was_killed_does_not_live_on(bench: Path, kind: str) -> None:
    program = f"""
from tests.agent.test_launch import _launch
from pathlib import Path
with _launch(Path({str(bench)!r}), "hangs") as host:
    host.start()
    host.open({kind!r}, 2, [0])
    print(host._process.pid, flush=True)
    host.rep(0, 1, probe=False)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as knee:
        assert knee.stdout is not None
        agent = int(knee.stdout.readline())
        workers = [int(pid) for pid in Path(f"/proc/{agent}/task/{agent}/children").read_text().split()]
        assert len(workers) == (2 if kind == "processes" else 0)
        knee.kill()
    until = time.monotonic() + 20
    while any(map(_lives, [agent, *workers])) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(map(_lives, [agent, *workers]))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("packages", [(), ("something==1.0",)])
def test_what_was_installed_comes_before_files_beside_the_workload(
    tmp_path: Path, kind: str, packages: tuple[str, ...]
) -> None:
    (tmp_path / "colorsys.py").write_text("beside = True")  # as the working tree of a package under test
    file = tmp_path / "work.py"
    file.write_text(
        "import colorsys\n"
        "def operation():\n"
        f"    assert hasattr(colorsys, 'beside') is {not packages}, colorsys.__file__\n"
    )
    with _launch(file, "operation", packages=packages) as host:
        host.start()
        host.open(kind, 1, [0])  # type: ignore[arg-type]
        host.rep(0, 1, probe=False)


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize(
    ("name", "text"), [("nothing", "work has no 'nothing'"), ("methods", "methods.operation is a method")]
)
def test_a_workload_that_does_not_load_is_told_alike_by_every_kind(
    tmp_path: Path, kind: str, name: str, text: str
) -> None:
    file = tmp_path / "work.py"
    file.write_text("class methods:\n    def operation(self): pass\n")
    with _launch(file, name) as host:
        host.start()
        with pytest.raises(Lost, match=text) as caught:
            host.open(kind, 1, [0])  # type: ignore[arg-type]
    assert (caught.value.where, caught.value.traceback) == ("load", "")


@pytest.mark.parametrize("closing", ["sys.stdout.close()", "os.close(1)", "setattr(sys, 'stdout', None)"])
def test_a_workload_may_close_its_output(tmp_path: Path, closing: str) -> None:
    file = tmp_path / "work.py"
    file.write_text(f"import os, sys\n{closing}\ndef operation(): pass\n")
    with _launch(file, "operation") as host:
        host.start()
        host.open("threads", 1, [0])
        assert host.rep(0, 1, probe=False)[1] == 0
