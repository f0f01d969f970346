"""A polynomial: local variables only, no object in sight that the workers share.

Expected on CPython 3.13t: refcount, at the line with the literals. The constants of an imported module are
counted objects, one of each for all threads; each use takes and drops a reference.
Goes away: operands made by each worker. In a script that is run directly the literals are immortal.
"""

ROUNDS = 20_000


def operation():
    x = 0.25
    for _ in range(ROUNDS):
        x = ((0.125 * x + 0.25) * x + 0.5) * x - 0.75  # knee: here
    return x


class fixed:
    """The same polynomial, its coefficients made by the worker."""

    @staticmethod
    def setup_worker(index, workers):
        return tuple(float(digits) for digits in ("0.125", "0.25", "0.5", "0.75"))

    @staticmethod
    def operation(operands):
        cubic, square, linear, constant = operands
        x = square
        for _ in range(ROUNDS):
            x = ((cubic * x + square) * x + linear) * x - constant
        return x
