"""The barrier through the binding."""

from __future__ import annotations

import mmap
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from knee.native import Barrier, BarrierTimeout, Native


def in_threads(count: int, work: Callable[[int], object]) -> list[object]:
    """Run ``work(index)`` in threads and return what each gave, exceptions included."""
    results: list[object] = [None] * count

    def run(index: int) -> None:
        try:
            results[index] = work(index)
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.mark.parametrize("parties", [1, 2, 8])
def test_nobody_passes_before_all_came_and_all_get_the_same_instant(native: Native, parties: int) -> None:
    barrier = native.barrier(parties)
    arrivals: list[list[int]] = [[] for _ in range(50)]

    def work(index: int) -> list[int]:
        released = []
        for arrived in arrivals:
            arrived.append(time.perf_counter_ns())
            released.append(barrier.wait(30))
            assert len(arrived) == parties
            assert time.perf_counter_ns() >= released[-1] >= max(arrived)
        return released

    results = in_threads(parties, work)
    assert all(result == results[0] for result in results), results
    assert isinstance(results[0], list)


def test_a_late_party_breaks_it_for_those_who_wait_and_those_who_come(native: Native) -> None:
    barrier = native.barrier(3)
    outcomes = in_threads(2, lambda index: barrier.wait(0.05 if index else 30))
    assert isinstance(outcomes[1], BarrierTimeout)
    assert isinstance(outcomes[0], threading.BrokenBarrierError)
    assert not isinstance(outcomes[0], BarrierTimeout)
    with pytest.raises(threading.BrokenBarrierError):
        barrier.wait(30)


def test_reset_mends_it(native: Native) -> None:
    barrier = native.barrier(2)
    barrier.abort()
    with pytest.raises(threading.BrokenBarrierError):
        barrier.wait()
    barrier.reset(1)
    assert barrier.wait(1) > 0


def test_abort_wakes_who_sleeps(native: Native) -> None:
    barrier = native.barrier(2)
    timer = threading.Timer(0.05, barrier.abort)
    timer.start()
    with pytest.raises(threading.BrokenBarrierError, match="aborted"):
        barrier.wait(60)
    timer.join()


def test_no_parties_are_refused(native: Native) -> None:
    with pytest.raises(OSError, match="barrier for 0"):
        native.barrier(0)


def test_memory_too_small_is_refused(native: Native) -> None:
    with pytest.raises(ValueError, match="small"):
        Barrier(native.library, 1, memoryview(bytearray(100)))  # type: ignore[arg-type]


def test_processes_meet_in_a_file_that_they_map(native: Native, library: str, tmp_path: Path) -> None:
    """The barrier holds no address, so that each process may map it where it likes."""
    path = tmp_path / "barrier"
    path.write_bytes(bytes(mmap.PAGESIZE))
    script = (
        "import mmap, sys, knee.native\n"
        "with open(sys.argv[1], 'r+b') as file:\n"
        "    memory = mmap.mmap(file.fileno(), 0)\n"
        "barrier = knee.native.load(sys.argv[2]).barrier(None, memory)\n"
        "print(*[barrier.wait(60) for _ in range(20)])\n"
    )
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        barrier = native.barrier(3, memory)
        children = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(path), library], stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        own = [barrier.wait(60) for _ in range(20)]
        outputs = [child.communicate(timeout=60)[0] for child in children]
        del barrier
    assert [list(map(int, output.split())) for output in outputs] == [own, own]
    assert own == sorted(own)
