"""Messages between Knee, its agent and the agent's workers: one JSON object a line, or objects in memory."""

from __future__ import annotations

import json
import os
import queue
from typing import Any

Message = dict[str, Any]


class Channel:
    """JSON lines over a pair of pipe ends; never standard output, which belongs to the workload.

    Args:
        source: file descriptor to read from.
        sink: file descriptor to write to.
        closes: whether ``close`` closes them, or whoever made them does.
    """

    def __init__(self, source: int, sink: int, *, closes: bool = True) -> None:
        self._source = os.fdopen(source, "rb", closefd=closes)
        self._sink = os.fdopen(sink, "wb", buffering=0, closefd=closes)

    def send(self, message: Message) -> None:
        """Write one message; raises BrokenPipeError when nobody listens any more."""
        data = json.dumps(message, separators=(",", ":"), default=repr).encode() + b"\n"
        while data:
            data = data[self._sink.write(data) or 0 :]

    def receive(self) -> Message | None:
        """Wait for one message; None when the other side has gone."""
        line = self._source.readline()
        if not line.endswith(b"\n"):
            return None
        message: Message = json.loads(line)
        return message

    def close(self) -> None:
        """Close both ends."""
        self._source.close()
        self._sink.close()


class Mailbox:
    """The same two verbs inside one process, for workers that are threads."""

    def __init__(self) -> None:
        self._there: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._back: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.worker_end = _End(self._there, self._back)
        self.pool_end = _End(self._back, self._there)


class _End:
    def __init__(
        self, source: queue.SimpleQueue[Message | None], sink: queue.SimpleQueue[Message | None]
    ) -> None:
        self._source = source
        self._sink = sink

    def send(self, message: Message) -> None:
        self._sink.put(message)

    def receive(self) -> Message | None:
        return self._source.get()

    def waiting(self) -> bool:
        """Whether a message waits to be received."""
        return not self._source.empty()

    def close(self) -> None:
        self._sink.put(None)
