"""The service manager lets the program run on one CPU.

Expected: machine.cores. The machine has more, the process may not use them.
Goes away: a wider affinity (the twin is the same code, free to run anywhere).
"""
# knee: cpus 0

ROUNDS = 40_000


def operation():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


class fixed:
    """The same loop; ``scripts/planted`` narrows the affinity for ``operation`` only."""

    operation = staticmethod(operation)
