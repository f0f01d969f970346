"""The package as a whole: examples, light imports, the line, other interpreters of the process."""

from __future__ import annotations

import doctest
import inspect
import os
import subprocess
import sys
from typing import Any

import pytest

import knee.padded
from knee.padded import _core, pool, states


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("name", [name for name in vars(_core) if isinstance(vars(_core)[name], type)])
def test_examples_of_types(name: str) -> None:
    for example in doctest.DocTestFinder().find(vars(_core)[name], name):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("module", [pool, states])
def test_examples_of_modules(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0


def test_everything_public_is_documented() -> None:
    for name in knee.padded.__all__:
        found = getattr(knee.padded, name)
        assert inspect.getdoc(found), name
        for method in vars(found) if isinstance(found, type) and found.__module__ == "knee.padded" else ():
            if not method.startswith("_"):
                assert inspect.getdoc(getattr(found, method)), f"{name}.{method}"


def test_the_import_is_light() -> None:
    code = "import knee.padded; print([m for m in ('numpy', 'scipy', 'knee.machine', 'rich') if m in sys.modules])"
    assert run(code).stdout == "[]\n"


def test_the_import_leaves_the_gil_off() -> None:
    if not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled():
        pytest.skip("the GIL is on")
    assert run("import knee.padded; print(sys._is_gil_enabled())").stdout == "False\n"


def test_the_line_can_be_overridden() -> None:
    code = "from knee.padded import *; print(line_size(), Lock().line, Slots(2).line, LinePadded(dict).line)"
    assert run(code, KNEE_LINE="256").stdout == "256 256 256 256\n"


@pytest.mark.parametrize("line", ["12", "0", "-64", "many", "65536", "64 "])
def test_a_useless_line_is_refused(line: str) -> None:
    done = run("import knee.padded", KNEE_LINE=line)
    assert f"KNEE_LINE must be a power of two from 16 to 4096, not '{line}'" in done.stderr


@pytest.mark.skipif(sys.version_info < (3, 12), reason="interpreters with their own GIL came with 3.12")
def test_interpreters_with_their_own_gil_can_use_it() -> None:
    code = """
import threading
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
program = f'''import sys; sys.path[:] = {sys.path!r}
import threading
from knee.padded import *
counter = Counter()
threads = [threading.Thread(target=counter.add, args=(n,)) for n in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert counter.value() == 10
with Lock(), RWLock().read: padded_states(dict, 2)
'''
def work():
    other = interpreters.create()
    problem = interpreters.run_string(other, program)
    assert problem is None, problem
    interpreters.destroy(other)
import knee.padded
workers = [threading.Thread(target=work) for _ in range(3)]
for worker in workers: worker.start()
for worker in workers: worker.join()
print("right")
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("right\n", "")
