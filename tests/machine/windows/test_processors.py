"""Windows machines out of the buffer of GetLogicalProcessorInformationEx."""

from __future__ import annotations

import struct
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from knee.machine import windows, workers
from knee.machine.windows import processors


def record(relation: int, body: bytes) -> bytes:
    return struct.pack("<II", relation, 8 + len(body)) + body


def affinity(mask: int, group: int = 0) -> bytes:
    return struct.pack("<QH6x", mask, group)


def core(mask: int, efficiency: int = 0, group: int = 0) -> bytes:
    return record(0, struct.pack("<BB20xH", int(mask.bit_count() > 1), efficiency, 1) + affinity(mask, group))


def cache(level: int, mask: int, size: int, line: int = 64, kind: int = 0) -> bytes:
    return record(2, struct.pack("<BBHII18xH", level, 8, line, size, kind, 1) + affinity(mask))


def hybrid() -> bytes:
    """8 P cores with two threads, 4 E cores; a higher efficiency class is faster."""
    cores = [core(0b11 << 2 * index, 1) for index in range(8)] + [
        core(1 << 16 + index, 0) for index in range(4)
    ]
    node = record(1, struct.pack("<I18xH", 0, 1) + affinity((1 << 20) - 1))
    package = record(3, struct.pack("<BB20xH", 0, 0, 1) + affinity((1 << 20) - 1))
    return b"".join([*cores, node, package, cache(3, (1 << 20) - 1, 30 << 20)])


def test_efficiency_classes_are_classes_of_core(tmp_path: Path) -> None:
    (tmp_path / "recorded").write_bytes(hybrid())
    topology, limits = windows.read(tmp_path / "recorded")
    assert len(topology.cpus) == 20
    assert [kind.name for kind in topology.classes] == ["performance", "efficiency"]
    assert topology.line == 64
    assert workers.useful(topology, limits).count == 8


def test_processor_groups_number_on() -> None:
    """More than 64 CPUs come in groups."""
    topology = processors.parse(core(1) + core(1, group=1))
    assert [cpu.number for cpu in topology.cpus] == [0, 64]


def test_nothing_says_why() -> None:
    assert processors.parse(b"", reason="not Windows").unknown["cpus"] == "not Windows"


@given(st.binary(max_size=200), st.integers(0, 400), st.integers(0, 400))
def test_any_buffer_gives_a_machine(noise: bytes, cut: int, at: int) -> None:
    whole = hybrid()
    for buffer in (noise, whole[:cut], whole[:at] + noise + whole[at:]):
        topology = processors.parse(buffer)
        assert topology.cpus or topology.unknown["cpus"]
        topology.to_json()
