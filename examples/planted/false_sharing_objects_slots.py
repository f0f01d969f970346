"""Each worker takes snapshots of its own list of listeners, as event loops do before they call them.

Expected: false-sharing.objects, at the line that makes the listeners. They are made one after the other and
dealt out; an instance with one slot takes 48 bytes, so that neighbours, which belong to different workers, lie on
one cache line, and a snapshot counts a reference to each.
Goes away: memory rounded up to the line, or listeners made by the worker that uses them (the twin).
"""

ROUNDS = 3_000
LISTENERS = 64


class Listener:
    __slots__ = ("events",)


def setup(workers):
    listeners = [Listener() for _ in range(LISTENERS * workers)]  # knee: here
    return [listeners[worker::workers] for worker in range(workers)]


def operation(listeners):
    for _ in range(ROUNDS):
        list(listeners)


class fixed:
    """Each worker makes its own listeners."""

    @staticmethod
    def setup_worker(index, workers):
        return [Listener() for _ in range(LISTENERS)]

    operation = staticmethod(operation)
