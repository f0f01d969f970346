"""Every worker makes trees whose nodes know their parents, and drops them.

Expected: gc, at the line that makes nodes. Only the collector can free such cycles; each collection stops
all threads.
Goes away: cut the cycle when the tree is dropped (the twin), or weak references to parents.
"""

TREES = 60


class Node:
    __slots__ = ("children", "parent")

    def __init__(self, parent):
        self.parent = parent
        self.children = []


def tree():
    root = Node(None)
    root.children = [Node(root) for _ in range(40)]  # knee: here
    return root


def operation():
    for _ in range(TREES):
        tree()


class fixed:
    """The same trees, each cut apart when it is dropped."""

    @staticmethod
    def operation():
        for _ in range(TREES):
            tree().children.clear()
