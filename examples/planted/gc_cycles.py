"""Every worker makes trees whose nodes know their parents, in a program that set low thresholds to keep memory flat.

Expected: gc, at the line that makes nodes or the one that sets the thresholds. Only the collector can free such
cycles, and each collection stops all threads.
Goes away: cut the cycle when the tree is dropped (the twin), weak references to parents, or the thresholds left alone.
"""

import gc

TREES = 200


class Node:
    __slots__ = ("children", "parent")

    def __init__(self, parent):
        self.parent = parent  # knee: here
        self.children = []


def tree():
    root = Node(None)
    root.children = [Node(root) for _ in range(40)]  # knee: here
    return root


def setup(workers):
    gc.set_threshold(2_000, 0)  # knee: here
    return [None] * workers


def operation(_):
    for _ in range(TREES):
        tree()


class fixed:
    """The same trees, each cut apart when it is dropped, so that nothing is left to collect."""

    @staticmethod
    def operation():
        for _ in range(TREES):
            tree().children.clear()
