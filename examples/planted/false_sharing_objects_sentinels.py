"""Each worker passes tokens of its own around; nothing is written, and the tokens of all were made in a row.

Expected: false-sharing.objects, at the line that makes them. A bare object takes 32 bytes, two to a cache
line, and its reference count, which every use writes, is in it.
Goes away: memory rounded up to the line, or tokens made far apart (the twin uses every 64th).
"""

ROUNDS = 8_000
TOKENS = 16


def dealt(tokens, workers):
    return [tuple(tokens[worker::workers]) for worker in range(workers)]


def setup(workers):
    return dealt([object() for _ in range(TOKENS * workers)], workers)  # knee: here


def operation(tokens):
    for _ in range(ROUNDS):
        for _token in tokens:
            pass


class fixed:
    """As many tokens by the same thread, but far from each other."""

    @staticmethod
    def setup(workers):
        return dealt([object() for _ in range(64 * TOKENS * workers)][::64], workers)

    operation = staticmethod(operation)
