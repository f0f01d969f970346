"""The bracket: what lies between begin and end, and nothing else."""

from __future__ import annotations

import mmap
import sys
import threading
import time

import pytest

from knee.native import Bracket, Native
from tests.native.conftest import RunScript

linux = pytest.mark.skipif(sys.platform != "linux", reason="read from Linux's getrusage and /proc")


def test_clock_is_that_of_perf_counter(native: Native) -> None:
    bracket = native.bracket()
    before = time.perf_counter_ns()
    bracket.begin()
    between = time.perf_counter_ns()
    bracket.end()
    after = time.perf_counter_ns()
    sample = bracket.sample()
    assert before <= sample["start_ns"] <= between <= sample["end_ns"] <= after  # type: ignore[operator]
    assert sample["start_ns"] == bracket.released_ns


@linux
def test_sleep_is_a_voluntary_switch_and_no_cpu_time(native: Native) -> None:
    bracket = native.bracket()
    bracket.begin()
    for _ in range(5):
        time.sleep(0.01)
    bracket.end()
    sample = bracket.sample()
    assert sample["voluntary"] >= 5  # type: ignore[operator]
    assert sample["cpu_ns"] < sample["end_ns"] - sample["start_ns"]  # type: ignore[operator]


@linux
def test_touched_pages_are_minor_faults(native: Native) -> None:
    bracket = native.bracket()
    pages = 64
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            memory.madvise(mmap.MADV_NOHUGEPAGE)
        bracket.begin()
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1
        bracket.end()
    assert bracket.sample()["minor_faults"] >= pages  # type: ignore[operator]


@linux
def test_usage_is_the_threads_own(native: Native) -> None:
    """A neighbour's work enters neither CPU time nor switches."""
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            native.control(10_000)

    neighbour = threading.Thread(target=burn)
    neighbour.start()
    bracket = native.bracket()
    bracket.begin()
    time.sleep(0.1)
    bracket.end()
    stop.set()
    neighbour.join()
    sample = bracket.sample()
    assert sample["cpu_ns"] < 50_000_000  # type: ignore[operator]
    assert sample["wait_ns"] is not None


@linux
def test_cpu_time_holds_the_work_and_hardly_more(native: Native) -> None:
    bracket = native.bracket(native.barrier(1))
    bracket.begin()
    native.control(5_000_000)
    bracket.end()
    sample = bracket.sample()
    assert 0 < sample["cpu_ns"] <= sample["end_ns"] - sample["start_ns"] + 1_000_000  # type: ignore[operator]
    assert sample["cpu_start"] in range(1024)
    assert sample["cpu_end"] in range(1024)


def test_unknown_is_none_and_never_a_number(native: Native) -> None:
    bracket = native.bracket()
    bracket.begin()
    bracket.end()
    for stamp in (bracket.start, bracket.stop):
        stamp.cycles = stamp.wait_ns = stamp.cpu = -1
    sample = bracket.sample()
    assert sample["cycles"] is None
    assert sample["wait_ns"] is None
    assert sample["cpu_start"] is None
    assert sample["cpu_end"] is None


def test_all_parties_learn_the_same_start(native: Native) -> None:
    barrier = native.barrier(4)
    brackets: list[Bracket] = []

    def work() -> None:
        bracket = native.bracket(barrier, 30)
        bracket.begin()
        bracket.end()
        brackets.append(bracket)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({bracket.released_ns for bracket in brackets}) == 1
    assert all(bracket.start.clock_ns >= bracket.released_ns for bracket in brackets)


def test_begin_raises_when_the_others_do_not_come(native: Native) -> None:
    barrier = native.barrier(2)
    with pytest.raises(threading.BrokenBarrierError):
        native.bracket(barrier, 0.02).begin()


def test_counters_come_with_a_reason_or_with_counts(native: Native) -> None:
    counts, reason = native.counters()
    bracket = native.bracket()
    bracket.begin()
    native.control(10_000)
    bracket.end()
    sample = bracket.sample()
    assert (reason == "") == bool(counts & 3)
    assert (sample["cycles"] is not None) == bool(counts & 3)
    assert (sample["migrations"] is not None) == bool(counts & 4)


@linux
def test_a_forked_child_counts_itself(run: RunScript) -> None:
    """Descriptors kept open count the thread that opened them: a child must not read its parent's."""
    output = run(
        "import os, knee.native\n"
        "native = knee.native.load()\n"
        "bracket = native.bracket()\n"
        "bracket.begin(); native.control(1000); bracket.end()\n"
        "if os.fork() == 0:\n"
        "    bracket.begin(); bracket.end()\n"
        "    links = [f'/proc/self/fd/{fd}' for fd in os.listdir('/proc/self/fd')]\n"
        "    names = [os.readlink(link) for link in links if os.path.exists(link)]\n"
        "    own = f'/proc/{os.getpid()}/task/{os.getpid()}/schedstat'\n"
        "    print([name for name in names if 'schedstat' in name] == [own])\n"
        "else:\n"
        "    os.wait()\n"
    )
    assert output.split() == ["True"]


@linux
def test_a_thread_that_ends_closes_what_it_opened(run: RunScript) -> None:
    output = run(
        "import os, threading, time, knee.native\n"
        "native = knee.native.load()\n"
        "def work():\n"
        "    native.counters(); bracket = native.bracket(); bracket.begin(); bracket.end()\n"
        "work()\n"
        "before = len(os.listdir('/proc/self/fd'))\n"
        "for _ in range(20):\n"
        "    thread = threading.Thread(target=work); thread.start(); thread.join()\n"
        "end = time.monotonic() + 20\n"
        "while len(os.listdir('/proc/self/fd')) > before and time.monotonic() < end:\n"
        "    time.sleep(0.01)  # join returns before the system's thread has ended\n"
        "print(len(os.listdir('/proc/self/fd')) - before)\n"
    )
    assert output.split() == ["0"]


@pytest.mark.real
def test_the_binding_works_in_a_free_threaded_interpreter(run: RunScript, free_threaded: str) -> None:
    output = run(
        "import sys, threading, knee.native\n"
        "native = knee.native.load(); barrier = native.barrier(2); spans = []\n"
        "def work():\n"
        "    bracket = native.bracket(barrier, 30.0)\n"
        "    for _ in range(100):\n"
        "        bracket.begin(); native.control(1000); bracket.end()\n"
        "        spans.append(bracket.sample()['cpu_ns'] > 0)\n"
        "threads = [threading.Thread(target=work) for _ in range(2)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(len(spans), all(spans), sys._is_gil_enabled())\n",
        python=free_threaded,
    )
    assert output.split() == ["200", "True", "False"]
