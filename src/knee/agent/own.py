"""A worker in an interpreter of its own: loads the workload itself and takes its part of what ``setup`` makes."""

from __future__ import annotations

import json
import os
from typing import Any

from knee.agent.channel import Channel
from knee.agent.meter import factory
from knee.agent.worker import Seat, Worker, raised
from knee.agent.workload import WorkloadError, load


def live(source: int, sink: int, greeting: str) -> None:
    """Greet, load, serve.

    Args:
        source: descriptor to read commands from.
        sink: descriptor to answer to.
        greeting: JSON of the pool's greeting; empty if it comes through ``source``.
    """
    channel = Channel(source, sink, closes=not greeting)
    hello: dict[str, Any] | None = json.loads(greeting) if greeting else channel.receive()
    if hello is None:
        return
    index, workers = hello["index"], hello["workers"]
    made: list[Any] = []
    stage = "setup"
    try:
        if hello["cpus"]:
            os.sched_setaffinity(0, {hello["cpus"][index % len(hello["cpus"])]})
        worker = Worker(index, workers, channel, factory(hello["native"], hello["barrier"])())
        seats: list[Seat | None] = []
        for number, treatment in enumerate(hello["treatments"]):
            if number not in hello["wanted"]:
                seats.append(None)
                continue
            stage = "load"
            loaded = load(treatment["workload"], treatment["loader"], installed=treatment["installed"])
            stage = "setup"
            states = loaded.states(workers)
            made.append((loaded, states))
            seats.append(Seat(loaded, loaded.state(index, workers, states[index] if states else None)))
        worker.prepare(seats)
    except WorkloadError as error:
        channel.send({**raised(error, worker=index, where="load"), "traceback": ""})
        return
    except BaseException as error:
        channel.send(raised(error, worker=index, where=stage))
        return
    channel.send({"is": "ready", "worker": index})
    worker.serve()
    for loaded, states in made:
        if loaded.teardown is not None:
            loaded.teardown(states)
