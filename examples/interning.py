"""Give equal structural types equal identities, in two ways: the comparison that cost a compiler's author two days.

``deferred``: every function of the program interns its types into an arena of its own, and a barrier joins the arenas
at the end. ``content``: a type's identity is a hash of its structure, final as soon as it is minted, and nothing
needs joining. Both print the same listing, which Knee checks.

Expected: ``knee compare examples/interning.py:deferred examples/interning.py:content --workers 1,2`` gives the same
verdict at every worker count (neither way scales better), and says in which phase the difference lands.
"""

from hashlib import blake2b

import knee

FUNCTIONS = 240
NAMES = ("Map", "List", "Pair", "Option", "Result", "int", "str", "bool")
ARITY = {"Map": 2, "List": 1, "Pair": 2, "Option": 1, "Result": 2}


def setup(workers):
    """Each worker compiles a program of its own, equal to the others'."""
    return [source() for _ in range(workers)]


def source():
    """Return signatures such as ``f3(Map[List[int],str],Pair[bool,int])``, the same at every call."""
    seed = 7

    def draw(depth):
        nonlocal seed
        seed = (seed * 75 + 74) % 65537
        name = NAMES[seed % 8 if depth < 4 else 5 + seed % 3]
        parts = [draw(depth + 1) for _ in range(ARITY.get(name, 0))]
        return f"{name}[{','.join(parts)}]" if parts else name

    return [f"f{number}({','.join(draw(0) for _ in range(4))})" for number in range(FUNCTIONS)]


def parse(signature):
    """Return a function's name and its parameter types as nested tuples."""
    name, _, rest = signature.partition("(")
    stack = [[]]
    word = ""
    for letter in rest:
        if letter == "[":
            stack.append([word])
            word = ""
        elif letter in ",])":
            if word:
                stack[-1].append((word,))
                word = ""
            if letter == "]":
                made = tuple(stack.pop())
                stack[-1].append(made)
        else:
            word += letter
    return name, stack[0]


def intern(tree, arena):
    """Return the number of a type in an arena, where a type is its name and its parts' numbers."""
    key = (tree[0], *[intern(part, arena) for part in tree[1:]])
    return arena.setdefault(key, len(arena))


def mint(tree, table):
    """Return the hash of a type, and keep what it stands for."""
    parts = [mint(part, table) for part in tree[1:]]
    identity = blake2b(b"".join((tree[0].encode(), *parts)), digest_size=16).digest()
    table[identity] = (tree[0], *parts)
    return identity


def join(arenas):
    """Join arenas into one; return it with the new numbers of each arena's types."""
    joined = {}
    renumbered = []
    for arena in arenas:
        numbers = []  # parts are interned before the whole, so their new numbers are here already
        for name, *parts in arena:
            key = (name, *[numbers[part] for part in parts])
            numbers.append(joined.setdefault(key, len(joined)))
        renumbered.append(numbers)
    return joined, renumbered


def listing(table, functions):
    """Print types under the number of their first place in the table, and functions in terms of those."""
    numbers = {identity: number for number, identity in enumerate(table)}
    lines = [
        f"t{numbers[identity]} = {name}({', '.join(f't{numbers[part]}' for part in parts)})"
        for identity, (name, *parts) in table.items()
    ]
    lines += [
        f"{name}({', '.join(f't{numbers[part]}' for part in parameters)})" for name, parameters in functions
    ]
    return "\n".join(lines)


def deferred(program):
    with knee.phase("parse"):
        functions = [parse(signature) for signature in program]
    with knee.phase("intern"):
        arenas = [{} for _ in functions]
        local = [[intern(tree, arena) for tree in trees] for (_, trees), arena in zip(functions, arenas)]
    with knee.phase("join"):
        joined, renumbered = join(arenas)
    with knee.phase("emit"):
        table = {number: key for key, number in joined.items()}
        named = [
            (name, [numbers[place] for place in places])
            for (name, _), places, numbers in zip(functions, local, renumbered)
        ]
        return listing(table, named)


def content(program):
    with knee.phase("parse"):
        functions = [parse(signature) for signature in program]
    with knee.phase("intern"):
        table = {}
        named = [(name, [mint(tree, table) for tree in trees]) for name, trees in functions]
    with knee.phase("emit"):
        return listing(table, named)
