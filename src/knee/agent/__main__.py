"""Entry of the agent and of its workers: makes ``knee`` importable without Knee being installed in the target.

Called by path: ``python .../knee/agent/__main__.py serve READ_FD WRITE_FD``.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _supply() -> None:
    """Make ``import knee`` find this copy, also in a target that has none, or another one.

    Only the parts that need the standard library alone are used from it. Where the target has a Knee of its own,
    that one's folders follow, so that its compiled ``knee.padded`` is found.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(package, "agent")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    try:
        theirs = importlib.util.find_spec("knee")
    except (ImportError, ValueError):
        theirs = None
    places = [package]
    for place in (theirs.submodule_search_locations or []) if theirs is not None else []:
        if os.path.abspath(place) not in places:
            places.append(os.path.abspath(place))
    spec = importlib.util.spec_from_file_location(
        "knee", os.path.join(package, "__init__.py"), submodule_search_locations=places
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"Knee's own package is not readable at {package}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["knee"] = module
    spec.loader.exec_module(module)


def serve_worker(source: int, sink: int, greeting: str = "") -> None:
    """Be a worker in an interpreter of its own: a process, or a subinterpreter that is handed its greeting."""
    _supply()
    from knee.agent.own import live

    live(source, sink, greeting)


def _end_with_parent() -> None:
    """Have the system kill this process when the one that started it ends, however it ends: a call of the workload may
    take forever, and nobody reads the pipe meanwhile. Linux only (prctl(2), PR_SET_PDEATHSIG).
    """
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))


def main() -> None:
    """Serve Knee, or be a worker of an agent that does."""
    _end_with_parent()
    role, source, sink = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sys.argv[:] = [""]
    import faulthandler

    faulthandler.enable()
    if role == "worker":
        serve_worker(source, sink)
        return
    _supply()
    from knee.agent.serve import serve

    serve(source, sink)


if __name__ == "__main__":
    main()
