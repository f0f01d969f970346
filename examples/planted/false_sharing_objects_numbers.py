"""Each worker adds up readings of its own; one thread parsed the readings of all and dealt them out in turn.

Expected: false-sharing.objects, at the line that makes the numbers. A float takes 48 bytes, its neighbour
belongs to the other worker, and adding up counts a reference to each.
Goes away: memory rounded up to the line, numbers made by the worker that uses them (the twin), or runs of
neighbours dealt out instead of every second one.
"""

ROUNDS = 60
READINGS = 4096


def parsed(many):
    return [float(f"{reading}.5") for reading in range(many)]  # knee: here


def setup(workers):
    readings = parsed(READINGS * workers)  # knee: here
    return [readings[worker::workers] for worker in range(workers)]


def operation(readings):
    for _ in range(ROUNDS):
        sum(readings)


class fixed:
    """Each worker parses its own readings."""

    @staticmethod
    def setup_worker(index, workers):
        return parsed(READINGS)

    operation = staticmethod(operation)
