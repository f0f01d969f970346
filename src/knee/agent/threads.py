"""Workers that are threads of the agent's own interpreter."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable

from knee.agent.arm import Arm
from knee.agent.channel import Mailbox
from knee.agent.worker import Seat, Worker, raised
from knee.agent.workload import Loaded


class Threads:
    """A pool of real threads, started in the order that the arm gives, idle ones among them.

    Args:
        workers: how many.
        seats: per treatment: one loaded workload per worker and the states from ``setup``, or None.
        meter: makes a worker's meter, called in its thread.
        arm: what else happens in a worker before its first rep.
        cpus: pin worker ``i`` to ``cpus[i % len(cpus)]``; empty leaves placement to the system.
    """

    def __init__(
        self,
        workers: int,
        seats: list[list[Loaded] | None],
        states: list[list[Any]],
        meter: Callable[[], Any],
        arm: Arm,
        cpus: list[int],
    ) -> None:
        self.channels = []
        self._threads: list[threading.Thread] = []
        self.workers: list[threading.Thread] = []
        self._idle = threading.Event()
        boxes = [Mailbox() for _ in range(workers)]
        self.channels = [box.pool_end for box in boxes]

        def live(index: int, there: threading.Event) -> None:
            channel = boxes[index].worker_end
            try:
                if cpus:
                    os.sched_setaffinity(0, {cpus[index % len(cpus)]})
                worker = Worker(index, workers, channel, meter())
                taken: list[Seat | None] = []
                for loaded, given in zip(seats, states):
                    if loaded is None:
                        taken.append(None)
                        continue
                    mine, made = loaded[index], given
                    if arm.worker_made and mine.setup is not None:
                        with arm.making():
                            made = mine.states(workers)
                    state = mine.state(index, workers, made[index] if made else None)
                    taken.append(Seat(mine, arm.ready(index, mine, state)))
                worker.prepare(taken)
                channel.send({"is": "ready", "worker": index})
            except BaseException as error:
                channel.send(raised(error, worker=index, where="setup_worker"))
                return
            finally:
                there.set()
            worker.serve()

        def rest(rested: threading.Event) -> None:
            try:
                for loaded, given in zip(seats, states):
                    if loaded is not None:
                        arm.idle(loaded, given)
            finally:
                rested.set()
            self._idle.wait()

        for index in arm.order(workers):
            there = threading.Event()
            if index is None:
                thread = threading.Thread(target=rest, args=(there,), daemon=True)
            else:
                thread = threading.Thread(
                    target=live, args=(index, there), daemon=True, name=f"worker {index}"
                )
                self.workers.append(thread)
            thread.start()
            if arm.in_turn:
                there.wait()
            self._threads.append(thread)

    def join(self) -> None:
        """Let idle threads go and wait for all to end."""
        self._idle.set()
        for thread in self._threads:
            thread.join()
