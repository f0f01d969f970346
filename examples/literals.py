"""Arithmetic with literals, nothing shared, and two threads gain next to nothing on CPython 3.13t.

The literals of an imported module are counted: each use of 1103515245 or 0.5 takes and drops a reference to the one
object that all threads share. In a script that is run directly the same literals are immortal, so the loss
is gone as soon as someone copies the function into a benchmark script.

Expected on CPython 3.13t: ``knee why examples/literals.py:operation`` names ``refcount`` and the literals;
``--loader script`` or the twin, which gets its operands from its own worker, scale.
"""

ROUNDS = 20_000


def operation():
    x = 12345
    for _ in range(ROUNDS):
        x = (x * 1103515245 + 12345) & 2147483647
    return x


class fixed:
    """Each worker makes operands of its own, and uses them as local variables."""

    @staticmethod
    def setup_worker(index, workers):
        return tuple(int(digits) for digits in ("12345", "1103515245", "12345", "2147483647"))

    @staticmethod
    def operation(operands):
        x, factor, step, mask = operands
        for _ in range(ROUNDS):
            x = (x * factor + step) & mask
        return x
