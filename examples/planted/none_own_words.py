"""Each worker counts words of its own in a dict of its own.

Expected: none. Strings, dict and results are made and used by one worker.
"""


def setup_worker(index, workers):
    return [f"{index}-{word % 50}" for word in range(2_000)]


def operation(words):
    for _ in range(8):
        counts = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1 & 127
    return len(counts)
