"""The walk over what workers reach, and the containers in it."""

from __future__ import annotations

import array
import ctypes
import itertools
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knee.agent.containers import changed, containers, extent, remember, replaced, spread
from knee.agent.reach import Reach, constants, neighbours
from knee.agent.workload import Loaded

SETTING = ["endpoint", 1.5]
TABLE = {"rows": [[1, 2], [3, 4]]}


class Counter:
    __slots__ = ("count", "other")

    def __init__(self) -> None:
        self.count = 1000


def helper() -> Any:
    return TABLE["rows"]


def operation(state: Any) -> Any:
    return helper(), SETTING, 123456


def reach(states: list[Any], function: Any = operation) -> Reach:
    return Reach([Loaded(None, function, {}, lambda *_: None)] * max(1, len(states)), states)


def named(found: Reach) -> dict[str, set[int]]:
    return {one.name: one.roots for one in found.found.values()}


def test_code_leads_to_names_literals_and_the_functions_it_calls() -> None:
    names = named(reach([]))
    assert {"operation", "helper", "SETTING", "TABLE", "TABLE['rows']", "TABLE['rows'][0]"} <= names.keys()
    assert "literal 123456" in names


def test_what_no_code_uses_is_not_walked() -> None:
    assert not any(name.startswith("Counter") for name in named(reach([])))


def test_an_object_in_two_states_is_shared_and_one_in_one_state_is_not() -> None:
    shared, own = Counter(), [Counter(), Counter()]
    found = reach([(shared, own[0]), (shared, own[1])])
    assert found.found[id(shared)].shared
    assert not found.found[id(own[0])].shared
    assert found.found[id(shared)].name == "state[0]"


def test_slots_and_dicts_of_instances_are_walked() -> None:
    one = Counter()
    one.other = marker = object()  # type: ignore[attr-defined]
    holder = SimpleNamespace(one=one)
    assert reach([holder]).found[id(marker)].name == "state.one.other"


def test_cycles_end() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert id(loop) in reach([loop]).found


def test_literals_carry_their_line() -> None:
    lines = dict(constants(operation.__code__))
    assert lines[123456] == operation.__code__.co_firstlineno + 1


def test_neighbours_are_objects_of_different_workers_on_one_line() -> None:
    made = [Counter() for _ in range(2_000)]
    near = neighbours(reach([made[::2], made[1::2]]))
    assert near["own"] >= 2_000
    assert near["lines"] > 0
    assert near["kinds"][0][0] == "Counter"


def test_a_list_that_states_share_is_a_container_with_one_object() -> None:
    counts = [0, 0]
    (found,) = [one for one in containers(reach([(counts, 0), (counts, 1)])) if one.held]
    assert (found.name, found.kind, found.one) == ("state[0]", "list", True)


def test_neighbouring_views_of_one_buffer_are_a_container() -> None:
    base = memoryview(bytearray(16))
    (found,) = [one for one in containers(reach([base[:8], base[8:]])) if one.held]
    assert not found.one
    assert sorted(found.parts) == [0, 1]


def test_buffers_far_apart_are_none() -> None:
    assert not [one for one in containers(reach([bytearray(4096), bytearray(4096)])) if one.held]


def test_names_of_the_module_are_containers_that_nobody_holds() -> None:
    assert [one.name for one in containers(reach([])) if not one.held] == ["SETTING", "TABLE"]


@given(st.integers(1, 300), st.integers(2, 5))
def test_parts_that_are_spread_keep_their_bytes_and_lie_apart(size: int, workers: int) -> None:
    base = memoryview(bytearray(index % 251 for index in range(size * workers)))
    states = [base[size * index : size * (index + 1)] for index in range(workers)]
    (found,) = [one for one in containers(reach(states)) if one.held]
    made = spread(found, apart=True)
    assert [bytes(made[index]) for index in range(workers)] == [bytes(state) for state in states]
    starts = sorted((extent(part) or (0, 0))[0] for part in made.values())
    assert all(b - a >= size + 128 for a, b in itertools.pairwise(starts))


def test_ctypes_and_arrays_are_copied_with_their_values() -> None:
    pair = (ctypes.c_long * 2)(5, 6)
    states = [ctypes.c_long.from_buffer(pair, 8 * index) for index in range(2)]
    (found,) = [one for one in containers(reach(states)) if one.held]
    assert [part.value for part in spread(found, apart=True).values()] == [5, 6]
    numbers = array.array("q", [1, 2])
    (found,) = [one for one in containers(reach([(numbers, 0), (numbers, 1)])) if one.held]
    one, other = spread(found, apart=True).values()
    assert one == other == numbers
    assert one is not other


def test_replacing_rebuilds_tuples_and_leaves_the_rest() -> None:
    old, new, kept = [1], [2], {"a": 1}
    state = (old, kept, SimpleNamespace(inner=old))
    made = replaced(state, {id(old): new}, {id(old)})
    assert made[0] is new
    assert made[1] is kept
    assert made[2].inner is new


def test_elements_that_changed_are_told() -> None:
    counts = [1000, 2000, 3000]
    (found,) = [one for one in containers(reach([(counts, 0), (counts, 1)])) if one.held]
    before = remember(found)
    counts[1] = 5
    assert changed(found, before) == {1}
    counts.append(1)
    assert "length" in changed(found, before)
