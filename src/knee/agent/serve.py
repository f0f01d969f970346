"""The agent's side of a launch: one command in, one answer out."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import platform
import sys
import time
from typing import Any

import knee.native
from knee import _phase
from knee.agent.arm import Arm
from knee.agent.channel import Channel, Message
from knee.agent.meter import Start, factory
from knee.agent.processes import Processes
from knee.agent.subinterpreters import Subinterpreters, Unavailable
from knee.agent.threads import Threads
from knee.agent.worker import gil, raised, unsafe_modules
from knee.agent.workload import Loaded, WorkloadError, load

_AHEAD = 5_000_000  # ns until an agreed start, where no native barrier releases: time for a message to reach everyone


def serve(source: int, sink: int) -> None:
    """Answer Knee's commands until it says ``stop`` or goes away."""
    channel = Channel(source, sink)
    launch = Launch()
    while True:
        message = channel.receive()
        if message is None or message["do"] == "stop":
            break
        answer = getattr(launch, "do_" + message.pop("do"))
        try:
            channel.send(answer(**message))
        except Unavailable as error:
            channel.send({"is": "unavailable", "text": str(error), "traceback": ""})
        except WorkloadError as error:
            channel.send(
                {"is": "raised", "kind": "raised", "text": str(error), "traceback": "", "where": "load"}
            )
        except BaseException as error:
            channel.send(raised(error, where=launch.stage))
    # Idle or stuck threads of the workload must not keep the launch alive.
    _flush()
    os._exit(0)


class Launch:
    """What lives as long as the launch: the loaded workloads, the arm, and the pool that is open."""

    def __init__(self) -> None:
        self.stage = "start"
        self._treatments: list[dict[str, Any]] = []
        self._loaded: dict[int, Loaded] = {}
        self._native: str | None = None
        self._arm = Arm("arm", {})
        self._pool: Any = None
        self._start: Start | None = None
        self._states: list[Any] = []

    def do_start(
        self, treatments: list[dict[str, Any]], native: str | None, arm: dict[str, Any] | None
    ) -> Message:
        """Take the treatments of this launch; returns the facts of the interpreter."""
        self._treatments = treatments
        facts = interpreter()
        if native is not None:
            try:
                facts["speed"] = knee.native.load(native).probes.speed(0.002).best
                self._native = native
            except (knee.native.NativeUnavailable, ImportError) as error:
                facts["native"] = str(error)
        else:
            facts["native"] = "not asked for"
        if arm is not None:
            self._arm = _arm(arm)
            if self._native is not None:
                self._arm.native = knee.native.load(self._native)
            self._arm.install()
        return {"is": "started", "facts": facts}

    def do_open(self, kind: str, workers: int, wanted: list[int], cpus: list[int]) -> Message:
        """Build a fresh pool: set-up in this thread, workers, their own set-up."""
        self.stage = "load"
        self._start = Start(workers, self._native, shared=kind == "processes")
        if kind == "threads":
            self._open_threads(workers, wanted, cpus)
        else:
            hello = {
                "treatments": self._treatments,
                "wanted": wanted,
                "cpus": cpus,
                "native": self._native,
                "barrier": self._start.handle,
            }
            self.stage = "pool"
            make = Processes if kind == "processes" else Subinterpreters
            self._pool = make(workers, hello)
        answers = [channel.receive() for channel in self._pool.channels]
        for index, answer in enumerate(answers):
            if answer is None or answer["is"] != "ready":
                self._shut([other for other in range(workers) if (answers[other] or {}).get("is") == "ready"])
                return answer or _gone(index, "setup")
        gc.collect()  # a collection that was due because of the set-up is not the workload's
        return {"is": "opened"}

    def _open_threads(self, workers: int, wanted: list[int], cpus: list[int]) -> None:
        seats: list[list[Loaded] | None] = []
        given: list[list[Any]] = []
        self._states = []
        for number, treatment in enumerate(self._treatments):
            if number not in wanted:
                seats.append(None)
                given.append([])
                continue
            with self._arm.making():
                copies = self._copies(number, treatment, workers)
                self.stage = "setup"
                states = [] if self._arm.worker_made else self._arm.states(copies, workers)
            states = self._arm.made(copies, states) or states
            self._states.append((copies[0], states))
            seats.append(copies)
            given.append(states)
        assert self._start is not None
        self._pool = Threads(
            workers, seats, given, factory(self._native, self._start.handle), self._arm, cpus
        )

    def _copies(self, number: int, treatment: dict[str, Any], workers: int) -> list[Loaded]:
        """Load the workload as the arm wants it; what is not private is loaded once for all pools."""

        def get(private: bool) -> Loaded:
            given = treatment["workload"], treatment["loader"]
            if private:
                return load(*given, private=True, installed=treatment["installed"])
            if number not in self._loaded:
                self._loaded[number] = load(*given, installed=treatment["installed"])
            return self._loaded[number]

        return self._arm.copies(get, workers)

    def do_rep(
        self,
        treatment: int,
        calls: int,
        probe: bool,
        shares: list[int] | None = None,
        watch: bool = False,
        alone: int | None = None,
    ) -> Message:
        """Run one rep; ``calls`` by each worker, or ``shares[i]`` by worker i (a fixed total, divided).

        A watched rep is one that the arm looks at from the main thread while it runs; it must not count. In a rep that
        one worker runs ``alone`` the others of the pool stay idle.
        """
        self.stage = "rep"
        assert self._start is not None
        _flush()
        printed = _printed()
        when = time.perf_counter_ns() + _AHEAD
        first = 0
        active = range(len(self._pool.channels)) if alone is None else (alone,)
        for index in active:
            mine = calls if shares is None else shares[index]
            self._pool.channels[index].send(
                {
                    "do": "rep",
                    "treatment": treatment,
                    "calls": mine,
                    "first": first,
                    "probe": probe,
                    "start": when,
                    "alone": alone is not None,
                }
            )
            first += mine
        seen: Message = {}
        if watch:
            seen = self._arm.watch(self._pool.workers, lambda: any(map(_silent, self._pool.channels)))
        answers = [self._pool.channels[index].receive() for index in active]
        failures = []
        for index, answer in zip(active, answers):
            if answer is None:
                failures.append(_gone(index, "rep"))
            elif answer["is"] != "sample":
                failures.append({**answer, "where": "rep"})
        if failures:
            return {**failures[0], "raised_by": [failure["worker"] for failure in failures]}
        _flush()
        samples = [answer["sample"] for answer in answers if answer is not None]
        return {"is": "rep", "samples": samples, "printed": _printed() - printed, "seen": seen}

    def do_outputs(self, wanted: list[int]) -> Message:
        """Call treatments once, untimed, in worker 0, and digest what they return."""
        self.stage = "output"
        channel = self._pool.channels[0]
        channel.send({"do": "outputs", "wanted": wanted})
        return channel.receive() or _gone(0, "output")

    def do_close(self) -> Message:
        """End the workers; returns what is only known after the workload ran."""
        self.stage = "teardown"
        closing = self._shut(list(range(len(self._pool.channels))))
        for loaded, states in self._states:
            if loaded.teardown is not None:
                loaded.teardown(states)
        self._states = []
        return {
            "is": "closed",
            "gil": [None if answer is None else answer.get("gil") for answer in closing],
            "arm": self._arm.check(),
            "used": _gathered(_phase.used(), closing, "used"),
            "modules": sorted(_gathered(unsafe_modules() if gil() else [], closing, "modules")),
            "context": context(),
        }

    def _shut(self, alive: list[int]) -> list[Message | None]:
        for index in alive:
            self._pool.channels[index].send({"do": "close"})
        answers = [self._pool.channels[index].receive() for index in alive]
        self._pool.join()
        if self._start is not None:
            self._start.close()
        return answers


def _gone(worker: int, where: str) -> Message:
    text = f"worker {worker} ended during {where}"
    return {
        "is": "raised",
        "kind": "crashed",
        "text": text,
        "traceback": "",
        "worker": worker,
        "where": where,
    }


def interpreter() -> dict[str, Any]:
    """Return what a reader must know of the interpreter that measured."""
    build = getattr(sys, "abiflags", "")
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "build": " ".join(platform.python_build()),
        "compiler": platform.python_compiler(),
        "free_threaded": bool(_config("Py_GIL_DISABLED")),
        "gil": gil(),
        "debug": "d" in build or bool(_config("Py_DEBUG")),
        "optimised": "--enable-optimizations" in str(_config("CONFIG_ARGS")),
        "pid": os.getpid(),
    }


def context() -> dict[str, Any]:
    """Return what the interpreter-side hazards are judged by, as it is now, after the workload ran."""
    monitoring = getattr(sys, "monitoring", None)
    tools = [monitoring.get_tool(number) for number in range(6)] if monitoring is not None else []
    return {
        "trace": sys.gettrace() is not None,
        "profile": sys.getprofile() is not None,
        "monitoring": [tool for tool in tools if tool],
        "coverage": "coverage" in sys.modules,
        "debugger": any(name in sys.modules for name in ("pydevd", "debugpy", "pdb")),
        "gc": gc.isenabled(),
        "dev_mode": sys.flags.dev_mode,
        "pools": pools(),
    }


def pools() -> list[dict[str, Any]]:
    """Return the native thread pools that threadpoolctl sees, where the target has it; else an empty list."""
    if "threadpoolctl" not in sys.modules and importlib.util.find_spec("threadpoolctl") is None:
        return []
    import threadpoolctl  # type: ignore[import-not-found, unused-ignore]

    found: list[dict[str, Any]] = threadpoolctl.threadpool_info()
    return found


def _gathered(own: list[str], answers: list[Message | None], name: str) -> list[str]:
    """Join what this interpreter says with what workers in others of their own say, each once."""
    theirs = [text for answer in answers if answer is not None for text in answer.get(name, ())]
    return list(dict.fromkeys([*own, *theirs]))


def _silent(channel: Any) -> bool:
    return not channel.waiting()


def _config(name: str) -> Any:
    import sysconfig

    return sysconfig.get_config_var(name)


def _flush() -> None:
    """Write out what was printed; a workload may have closed standard output or put something else there."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        sys.stdout.flush()


def _printed() -> int:
    """Bytes written so far to the file that standard output is; 0 where the workload has closed it."""
    try:
        return os.fstat(1).st_size
    except OSError:
        return 0


def _arm(spec: dict[str, Any]) -> Arm:
    loader = importlib.util.spec_from_file_location("knee_arm", spec["file"])
    if loader is None or loader.loader is None:
        raise ImportError(f"{spec['file']} is no Python file")
    module = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(module)
    made: Arm = module.Arm(spec["variant"], dict(spec["options"]))
    return made
