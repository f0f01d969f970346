"""The preloaded malloc, under a Python process that calls the C library's allocation itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from knee.native import shim_path
from tests.native.conftest import RunScript

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the shim is built on Linux only")

LIBC = """
import ctypes
libc = ctypes.CDLL(None)
for name in ("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "reallocarray"):
    getattr(libc, name).restype = ctypes.c_void_p
size_t, pointer = ctypes.c_size_t, ctypes.c_void_p
libc.malloc.argtypes = [size_t]; libc.calloc.argtypes = [size_t, size_t]; libc.free.argtypes = [pointer]
libc.realloc.argtypes = [pointer, size_t]; libc.aligned_alloc.argtypes = [size_t, size_t]
libc.memalign.argtypes = [size_t, size_t]; libc.reallocarray.argtypes = [pointer, size_t, size_t]
libc.malloc_usable_size.argtypes = [pointer]; libc.malloc_usable_size.restype = size_t
"""


@pytest.fixture
def shim() -> str:
    path = shim_path()
    if path is None:
        pytest.fail("the shim is not built: scripts/build")
    return path


@pytest.mark.parametrize("line", [64, 128])
def test_rounded_blocks_are_on_lines_of_their_own(run: RunScript, shim: str, line: int) -> None:
    output = run(
        LIBC + f"blocks = [libc.malloc(40) for _ in range(500)] + [libc.calloc(5, 8) for _ in range(500)]\n"
        f"print(sum(b % {line} == 0 for b in blocks), len({{b // {line} for b in blocks}}))\n"
        "[libc.free(b) for b in blocks]\n",
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE="round",
        KNEE_MALLOC_LINE=str(line),
    )
    assert output.split() == ["1000", "1000"]


@pytest.mark.parametrize("mode", ["off", "extra"])
def test_controls_leave_neighbours_on_shared_lines(run: RunScript, shim: str, mode: str) -> None:
    output = run(
        LIBC + "blocks = [libc.malloc(40) for _ in range(1000)]; print(len({b // 64 for b in blocks}))\n",
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE=mode,
    )
    assert int(output) < 990


def test_contents_survive_growing_and_shrinking(run: RunScript, shim: str) -> None:
    """In and out of the treated sizes, through every function that gives memory."""
    output = run(
        LIBC + "import random\n"
        "rng = random.Random(1); good = True; out = ctypes.c_void_p()\n"
        "makers = [libc.malloc, lambda n: libc.calloc(1, n), lambda n: libc.aligned_alloc(32, n),\n"
        "          lambda n: libc.memalign(256, n), lambda n: libc.realloc(None, n),\n"
        "          lambda n: libc.posix_memalign(ctypes.byref(out), 64, n) or out.value]\n"
        "for _ in range(3000):\n"
        "    size = rng.choice([1, 8, 40, 64, 65, 500, 1023, 1024, 1025, 5000, 200000])\n"
        "    block = rng.choice(makers)(size); ctypes.memset(block, 0xA5, size)\n"
        "    for _ in range(rng.randrange(4)):\n"
        "        grown = rng.choice([1, 8, 40, 64, 65, 500, 1023, 1024, 1025, 5000, 200000])\n"
        "        block = libc.realloc(block, grown); common = min(size, grown)\n"
        "        good &= ctypes.string_at(block, common) == b'\\xa5' * common\n"
        "        good &= libc.malloc_usable_size(block) >= grown\n"
        "        good &= grown > 1024 or block % 64 == 0\n"
        "        ctypes.memset(block, 0xA5, grown); size = grown\n"
        "    libc.free(block)\n"
        "print(good)\n",
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE="round",
    )
    assert output.split() == ["True"]


def test_corner_cases_are_those_of_the_c_library(run: RunScript, shim: str) -> None:
    output = run(
        LIBC + "zero = libc.malloc(0); libc.free(zero); libc.free(None)\n"
        "cleared = libc.calloc(10, 10); print(ctypes.string_at(cleared, 100) == bytes(100))\n"
        "print(libc.calloc(2**40, 2**40), libc.reallocarray(None, 2**40, 2**40), libc.malloc(2**62))\n"
        "print(libc.posix_memalign(ctypes.byref(ctypes.c_void_p()), 3, 8))\n"
        "print(libc.aligned_alloc(4096, 10) % 4096, libc.malloc_usable_size(None))\n",
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE="round",
    )
    assert output.splitlines() == ["True", "None None None", "22", "0 0"]


def test_report_counts_what_was_treated(run: RunScript, shim: str, tmp_path: Path) -> None:
    report = tmp_path / "report"
    for mode in ("round", "extra", "off"):
        run(
            LIBC + "[libc.malloc(40) for _ in range(1000)]",
            LD_PRELOAD=shim,
            KNEE_MALLOC_MODE=mode,
            KNEE_MALLOC_REPORT=str(report),
        )
    rounded, extra, off = [json.loads(row) for row in report.read_text().splitlines()]
    for row in (rounded, extra):
        assert row["treated"] >= 1000
        assert row["added"] >= 24_000
        assert row["trouble"] == ""
    assert (off["mode"], off["treated"]) == ("off", 0)


def test_only_blocks_of_a_thread_that_asks_are_rounded_where_told_so(run: RunScript, shim: str) -> None:
    output = run(
        LIBC + "def apart(): return all(libc.malloc(40) % 64 == 0 for _ in range(64))\n"
        "print(apart(), libc.knee_malloc_enable(1), apart(), libc.knee_malloc_enable(0), apart())\n",
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE="round",
        KNEE_MALLOC_WHEN="called",
    )
    assert output.split() == ["False", "0", "True", "1", "False"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("KNEE_MALLOC_MODE", "rounded"),
        ("KNEE_MALLOC_LINE", "63"),
        ("KNEE_MALLOC_LINE", "x"),
        ("KNEE_MALLOC_MAX", "0"),
        ("KNEE_MALLOC_WHEN", "asked"),
    ],
)
def test_a_bad_setting_turns_it_off_and_says_why(
    run: RunScript, shim: str, tmp_path: Path, variable: str, value: str
) -> None:
    report = tmp_path / "report"
    environment = {"KNEE_MALLOC_MODE": "round", variable: value}
    run("", LD_PRELOAD=shim, KNEE_MALLOC_REPORT=str(report), **environment)
    row = json.loads(report.read_text())
    assert row["mode"] == "off"
    assert variable in row["trouble"]


@pytest.mark.real
def test_threads_and_forks_live_under_it(run: RunScript, shim: str, free_threaded: str) -> None:
    output = run(
        LIBC + "import os, threading\n"
        "def churn():\n"
        "    for i in range(3000):\n"
        "        block = libc.malloc(i % 900); block = libc.realloc(block, 1 + i % 1500); libc.free(block)\n"
        "threads = [threading.Thread(target=churn) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "child = os.fork()\n"
        "if child == 0: churn(); os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n",
        python=free_threaded,
        LD_PRELOAD=shim,
        KNEE_MALLOC_MODE="round",
    )
    assert output.split() == ["7"]


@pytest.mark.parametrize("name", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"])
def test_it_rounds_over_other_allocators(run: RunScript, shim: str, name: str) -> None:
    """Blocks come from, and go back to, whatever allocator is preloaded behind it."""
    found = [path for folder in ("/usr/lib", "/usr/local/lib") for path in Path(folder).rglob(name)]
    if not found:
        pytest.skip(f"no {name} on this machine")
    output = run(
        LIBC + "blocks = [libc.malloc(40) for _ in range(500)]\n"
        "blocks = [libc.realloc(b, 40 + i % 300) for i, b in enumerate(blocks)]\n"
        "print(sum(b % 64 == 0 for b in blocks), len({b // 64 for b in blocks}))\n"
        "[libc.free(b) for b in blocks]\n",
        LD_PRELOAD=f"{shim}:{found[0]}",
        KNEE_MALLOC_MODE="round",
    )
    assert output.split() == ["500", "500"]
