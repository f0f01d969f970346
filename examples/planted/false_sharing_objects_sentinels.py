"""Each worker passes tokens of its own around; nothing is written, and the tokens of all were made in a row.

Expected: false-sharing.objects, at the line that makes them. A bare object takes 32 bytes, two to a cache
line, and its reference count, which every use writes, is in it.
Goes away: memory rounded up to the line, or tokens made by the worker that uses them (the twin).
"""

ROUNDS = 8_000
TOKENS = 16


def setup(workers):
    tokens = [object() for _ in range(TOKENS * workers)]  # knee: here
    return [tuple(tokens[worker::workers]) for worker in range(workers)]


def operation(tokens):
    for _ in range(ROUNDS):
        for _token in tokens:
            pass


class fixed:
    """Each worker makes its own tokens."""

    @staticmethod
    def setup_worker(index, workers):
        return tuple(object() for _ in range(TOKENS))

    operation = staticmethod(operation)
