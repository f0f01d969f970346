"""The container may use one CPU's worth of time, on a machine that shows all its CPUs.

Expected: machine.quota. Threads run side by side until the quota is spent, then all are stopped until the
next period.
Goes away: a larger quota (the twin is the same code without one), or as many workers as it allows.
"""
# knee: quota 1.0

ROUNDS = 40_000


def operation():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


class fixed:
    """The same loop; ``scripts/planted`` sets the quota for ``operation`` only."""

    operation = staticmethod(operation)
