"""Workers that are subinterpreters, each run by a thread of its own: 3.13's private module, 3.14's public one."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable

from knee.agent.channel import Channel
from knee.agent.processes import describe


class Unavailable(Exception):
    """This interpreter or this workload cannot do it; the text says why."""


def _make() -> tuple[Callable[[], Any], Callable[[Any, str], Any], Callable[[Any], None]]:
    """Return ``create``, ``run(interpreter, source)`` and ``close`` of whatever this version offers."""
    try:
        from concurrent import interpreters  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        try:
            import _interpreters  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise Unavailable("subinterpreters need CPython 3.13 or later") from None

        def run(number: Any, source: str) -> None:
            failure = _interpreters.run_string(number, source)
            if failure is not None:
                raise Unavailable(getattr(failure, "formatted", None) or str(failure))

        return _interpreters.create, run, _interpreters.destroy

    return (
        interpreters.create,
        lambda interpreter, source: interpreter.exec(source),
        lambda interpreter: interpreter.close(),
    )


class Subinterpreters:
    """A pool of subinterpreters; each loads the workload for itself, as a process would.

    Args:
        workers: how many.
        hello: what each needs to build its side, as JSON data.

    Raises:
        Unavailable: no subinterpreters here.
    """

    def __init__(self, workers: int, hello: dict[str, Any]) -> None:
        create, run, close = _make()
        self.channels: list[Channel] = []
        self._threads: list[threading.Thread] = []
        entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
        for index in range(workers):
            there_read, there_write = os.pipe()
            back_read, back_write = os.pipe()
            channel = Channel(back_read, there_write)
            greeting = describe({**hello, "index": index, "workers": workers})
            source = (
                f"import runpy\n"
                f"space = runpy.run_path({entry!r}, run_name='knee agent')\n"
                f"space['serve_worker']({there_read}, {back_write}, {greeting!r})\n"
            )

            def live(source: str = source, ends: tuple[int, int] = (there_read, back_write)) -> None:
                try:
                    interpreter = create()
                    run(interpreter, source)
                    close(interpreter)
                except Exception as error:
                    lines = str(error).strip().splitlines() or [type(error).__name__]
                    message = describe({"is": "unavailable", "text": lines[-1], "traceback": str(error)})
                    os.write(ends[1], message.encode() + b"\n")
                finally:
                    for end in ends:
                        os.close(end)

            thread = threading.Thread(target=live, daemon=True, name=f"subinterpreter {index}")
            thread.start()
            self.channels.append(channel)
            self._threads.append(thread)

    def join(self) -> None:
        """Wait for all to end."""
        for thread in self._threads:
            thread.join()
        for channel in self.channels:
            channel.close()
