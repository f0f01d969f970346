"""Small numbers in local variables.

Expected: none. Nothing is shared, nothing is lost.
"""

ROUNDS = 40_000


def operation():
    total = 0
    for _ in range(ROUNDS):
        total = (total + 3) & 255
    return total
