"""The environment switches the GIL back on, and nobody remembers why it is there.

Expected: gil. Two threads do together what one does alone, at one CPU's worth of time; nothing in the code
says so.
Goes away: unset ``PYTHON_GIL`` (the twin is the same code without the variable).
"""
# knee: env PYTHON_GIL=1

ROUNDS = 40_000


def operation():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total


class fixed:
    """The same loop; ``scripts/planted`` sets the variable for ``operation`` only."""

    operation = staticmethod(operation)
