"""Workers that are processes: spawned, never forked, each loading the workload for itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from knee.agent.channel import Channel


class Processes:
    """A pool of fresh interpreters of the same kind as the agent's.

    Args:
        workers: how many.
        hello: what each needs to build its side (workloads, barrier, native library), as JSON data.
    """

    def __init__(self, workers: int, hello: dict[str, Any]) -> None:
        self.channels: list[Channel] = []
        self._children: list[subprocess.Popen[bytes]] = []
        entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
        for index in range(workers):
            there_read, there_write = os.pipe()
            back_read, back_write = os.pipe()
            self._children.append(
                subprocess.Popen(
                    [sys.executable, *_flags(), entry, "worker", str(there_read), str(back_write)],
                    pass_fds=(there_read, back_write),
                    stdin=subprocess.DEVNULL,
                )
            )
            os.close(there_read)
            os.close(back_write)
            channel = Channel(back_read, there_write)
            channel.send({**hello, "index": index, "workers": workers})
            self.channels.append(channel)

    def join(self) -> None:
        """Wait for all to end."""
        for channel, child in zip(self.channels, self._children):
            child.wait()
            channel.close()


def _flags() -> list[str]:
    """The agent's own interpreter options, so that a child is the same kind of interpreter.

    ``subprocess`` has this function for its own use and ``multiprocessing`` calls it too; ``-X`` options are in it.
    """
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return flags


def describe(hello: dict[str, Any]) -> str:
    """Return the greeting as a JSON text, for workers that are handed a script."""
    return json.dumps(hello)
