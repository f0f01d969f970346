"""Rounding in real interpreters; ``check_rounding.c`` asserts the sizes on an allocator that notes them."""

from __future__ import annotations

import pytest

from knee.native import Native
from tests.native.conftest import RunScript

OBJECTS = """
import gc, knee.native
rounding = knee.native.load().rounding
class Tally:
    __slots__ = ("count", "other")
def lines(line):
    made = [Tally() for _ in range(500)]
    return sum(id(o) % line == 0 for o in made), len({id(o) // line for o in made})
"""


@pytest.mark.real
@pytest.mark.parametrize("line", [64, 128])
def test_slots_instances_lie_on_lines_of_their_own_while_enabled(
    run: RunScript, free_threaded: str, line: int
) -> None:
    output = run(
        OBJECTS + f"rounding.install(); rounding.configure('line', line={line})\n"
        f"print(*lines({line}))\n"
        f"with rounding.here(): print(*lines({line}))\n"
        f"print(*lines({line}))\n"
        f"with rounding.everywhere(): print(*lines({line}), rounding.honoured())\n"
        f"print(*lines({line}))\n",
        python=free_threaded,
    )
    before, here, between, everywhere, after = [row.split() for row in output.splitlines()]
    assert here == ["500", "500"]
    assert everywhere == ["500", "500", "True"]
    for row in (before, between, after):
        assert int(row[0]) < 400
        assert int(row[1]) < 450


@pytest.mark.real
@pytest.mark.parametrize("mode", ["off", "ballast", "shuffle"])
def test_controls_do_not_isolate(run: RunScript, free_threaded: str, mode: str) -> None:
    output = run(
        OBJECTS + f"rounding.install(); rounding.configure({mode!r}, seed=7)\n"
        "with rounding.everywhere(): print(*lines(64), rounding.honoured()); print(*rounding.counts())\n",
        python=free_threaded,
    )
    (aligned, distinct, honoured), (seen, treated, added) = [row.split() for row in output.splitlines()]
    assert honoured == "False"
    assert int(aligned) < 450
    assert int(distinct) < 500
    assert int(seen) >= 500
    assert (int(treated) > 0, int(added) > 0) == ((False, False) if mode == "off" else (True, True))


@pytest.mark.real
def test_ballast_leaves_neighbours_where_they_were(run: RunScript, free_threaded: str) -> None:
    """The control must keep the sharing that it is compared with."""
    program = OBJECTS + (
        "rounding.install(); rounding.configure(MODE)\n"
        "with rounding.everywhere():\n"
        "    made = [Tally() for _ in range(2000)]\n"
        "steps = [id(b) - id(a) for a, b in zip(made, made[1:])]\n"
        "print(sum(step == 48 for step in steps))\n"
    )
    off, ballast = (
        int(run(program.replace("MODE", repr(mode)), python=free_threaded)) for mode in ("off", "ballast")
    )
    assert off > 1500
    assert ballast > 1500


@pytest.mark.real
def test_an_interpreter_lives_through_all_modes_with_threads_at_work(
    run: RunScript, free_threaded: str
) -> None:
    """Blocks made in one mode are grown, shrunk and freed in others, by other threads, with the collector running."""
    output = run(
        "import gc, threading, knee.native\n"
        "rounding = knee.native.load().rounding\n"
        "rounding.install()\n"
        "stop = threading.Event(); failures = []; kept = []\n"
        "class Node:\n"
        "    def __init__(self, value): self.value, self.link = value, self\n"
        "def churn(index):\n"
        "    try:\n"
        "        while not stop.is_set():\n"
        "            rows = [[i] * (i % 40) for i in range(100)]\n"
        "            for i, row in enumerate(rows): row.extend(range(i)); del row[i // 2:]\n"
        "            nodes = [Node(i) for i in range(100)]\n"
        "            table = {str(i): float(i) for i in range(100)}\n"
        "            assert sum(n.value for n in nodes) == 4950 and sum(table.values()) == 4950.0\n"
        "            assert all(row[k] in (i, k - i % 40) for i, row in enumerate(rows) for k in range(len(row)))\n"
        "            kept.append(rows)\n"
        "            if len(kept) > 20: kept.clear()\n"
        "    except BaseException as error: failures.append(repr(error))\n"
        "threads = [threading.Thread(target=churn, args=(i,)) for i in range(4)]\n"
        "[t.start() for t in threads]\n"
        "for i in range(200):\n"
        "    rounding.configure(('line', 'ballast', 'shuffle', 'off')[i % 4], line=(64, 128, 256)[i % 3])\n"
        "    rounding.enable_all(i % 5 > 0)\n"
        "    gc.collect()\n"
        "stop.set(); [t.join() for t in threads]\n"
        "rounding.remove(); gc.collect(); kept.clear()\n"
        "print(failures, rounding.counts().treated > 1000)\n",
        python=free_threaded,
    )
    assert output == "[] True\n"


def test_install_twice_is_once_and_remove_puts_back(run: RunScript) -> None:
    output = run(
        "import ctypes, knee.native\n"
        "class Allocator(ctypes.Structure):\n"
        "    _fields_ = [(n, ctypes.c_void_p) for n in ('context', 'malloc', 'calloc', 'realloc', 'free')]\n"
        "def now():\n"
        "    a = Allocator(); ctypes.pythonapi.PyMem_GetAllocator(2, ctypes.byref(a)); return a.malloc, a.free\n"
        "rounding = knee.native.load().rounding\n"
        "before = now(); rounding.install(); wrapped = now(); rounding.install(); again = now()\n"
        "rounding.remove(); print(before != wrapped, wrapped == again, before == now())\n"
    )
    assert output.split() == ["True", "True", "True"]


def test_remove_refuses_while_tracemalloc_stands_on_top(run: RunScript) -> None:
    output = run(
        "import errno, tracemalloc, knee.native\n"
        "rounding = knee.native.load().rounding\n"
        "rounding.install(); rounding.configure('line'); tracemalloc.start()\n"
        "with rounding.everywhere(): objects = [object() for _ in range(1000)]\n"
        "try: rounding.remove()\n"
        "except OSError as error: print(error.errno == errno.EBUSY)\n"
        "print(tracemalloc.get_traced_memory()[0] > 0); tracemalloc.stop(); rounding.remove(); print('removed')\n"
    )
    assert output.split() == ["True", "True", "removed"]


def test_toggling_is_per_thread_and_tells_what_it_was(native: Native) -> None:
    rounding = native.rounding
    assert rounding.enable(True) is False
    assert rounding.enable(False) is True
    assert rounding.enable_all(True) is False
    assert rounding.enable_all(False) is True
    with rounding.here():
        with rounding.here():
            pass
        assert rounding.enable(True) is True
    assert rounding.enable(False) is False


def test_senseless_settings_are_refused(native: Native) -> None:
    with pytest.raises(ValueError, match="nonsense"):
        native.rounding.configure("nonsense")
    for line in (0, 63, 8, 8192):
        with pytest.raises(OSError, match="rounding"):
            native.rounding.configure("line", line=line)
    with pytest.raises(OSError, match="rounding"):
        native.rounding.configure("line", min_size=10, max_size=5)
