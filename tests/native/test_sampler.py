"""The instruction sampler, on a thread whose place is known."""

from __future__ import annotations

import ctypes
import sys
import threading
import time

import pytest

from knee.native import Native, NativeUnavailable, Sampler

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="perf_event_open is Linux's")


@pytest.fixture
def sampler(native: Native) -> Sampler:
    try:
        return native.sampler(threading.get_native_id(), 1000)
    except NativeUnavailable as refusal:
        pytest.skip(refusal.reason)


def spend(native: Native, seconds: float) -> None:
    """Use so much CPU time of the calling thread inside the library's control kernel."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        native.control(1_000_000)


def test_samples_point_into_the_code_that_ran(native: Native, sampler: Sampler) -> None:
    before = time.perf_counter_ns()
    spend(native, 0.3)
    with sampler:
        samples = sampler.drain()
    code = ctypes.cast(native.library.knee_control, ctypes.c_void_p).value or 0
    inside = [s for s in samples if code <= s.address < code + 256]
    assert len(samples) >= 30  # 300 asked for
    assert len(inside) > 0.8 * len(samples)
    assert all(s.thread == threading.get_native_id() and not s.kernel for s in samples)
    assert [s.clock_ns for s in samples] == sorted(s.clock_ns for s in samples)
    assert all(s.clock_ns >= before - 100_000_000 for s in samples)


def test_a_sampler_sees_its_thread_only(native: Native, sampler: Sampler) -> None:
    other = threading.Thread(target=spend, args=(native, 0.1))
    other.start()
    other.join()
    with sampler:
        assert {s.thread for s in sampler.drain()} <= {threading.get_native_id()}


def test_paused_takes_none_and_goes_on(native: Native, sampler: Sampler) -> None:
    with sampler:
        sampler.pause(True)
        sampler.drain()
        spend(native, 0.05)
        assert sampler.drain() == []
        sampler.pause(False)
        spend(native, 0.1)
        assert sampler.drain()


def test_closed_twice_it_still_tells_what_was_lost(sampler: Sampler) -> None:
    sampler.close()
    sampler.close()
    assert sampler.drain() == []
    assert sampler.lost() == 0


@pytest.mark.parametrize(
    ("thread", "hertz", "why"), [(0x7FFFFFF, 100, "no thread"), (0, 10**9, "sample_rate")]
)
def test_refusals_have_a_reason(native: Native, sampler: Sampler, thread: int, hertz: int, why: str) -> None:
    sampler.close()
    with pytest.raises(NativeUnavailable, match=why):
        native.sampler(thread, hertz)
