"""Another program keeps all but one of the CPUs busy.

Expected: machine.cores. Workers wait for a CPU, not for each other.
Goes away: a machine of one's own (the twin is the same code without the neighbour).
"""
# knee: beside busy

ROUNDS = 40_000


def operation():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


class fixed:
    """The same loop; ``scripts/planted`` starts the neighbour for ``operation`` only."""

    operation = staticmethod(operation)
