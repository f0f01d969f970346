"""Macs out of what sysctl prints."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from knee.machine import macos, workers
from knee.machine.macos import cores
from tests.machine.trees import FIXTURES

M4 = (FIXTURES / "apple_m4.sysctl").read_text()


def test_an_m4_has_the_cores_and_caches_of_its_listing() -> None:
    topology, limits = macos.read(FIXTURES / "apple_m4.sysctl")
    assert topology.system == "macOS 15.4"
    assert topology.line == 128
    assert [(kind.name, kind.fast) for kind in topology.classes] == [
        ("performance", True),
        ("efficiency", False),
    ]
    assert len(topology.cores) == 10
    assert {cache.size for cache in topology.caches if cache.level == 2} == {16 << 20, 4 << 20}
    assert not topology.numbered
    assert limits.virtual is None


def test_two_fast_clusters_are_told_apart() -> None:
    topology, _ = macos.read(FIXTURES / "apple_12_core.sysctl")
    assert [len(cluster) for cluster in topology.clusters] == [3, 3, 6]
    assert topology.relation(0, 2) == "L2"
    assert topology.relation(0, 3) == "package"


def test_an_intel_mac_has_one_class_and_its_threads() -> None:
    text = "hw.physicalcpu: 8\nhw.logicalcpu: 16\nhw.cachelinesize: 64\nhw.l3cachesize: 16777216\n"
    topology, limits = cores.parse(text)
    assert len(topology.cpus) == 16
    assert workers.useful(topology, limits).count == 8
    assert "classes" in topology.unknown


def test_a_missing_output_says_why(tmp_path: Path) -> None:
    topology, limits = macos.read(tmp_path / "none")
    assert "No such file" in topology.unknown["cpus"]
    assert workers.useful(topology, limits).count == 1


LINES = st.lists(st.sampled_from(M4.splitlines()), max_size=25)


@given(
    LINES,
    st.lists(
        st.tuples(st.sampled_from([line.split(": ")[0] for line in M4.splitlines()]), st.text(max_size=20))
    ),
)
def test_any_output_gives_a_machine(lines: list[str], nonsense: list[tuple[str, str]]) -> None:
    text = "\n".join([*lines, *(f"{name}: {value}" for name, value in nonsense)])
    topology, limits = cores.parse(text)
    assert topology.cpus or topology.unknown["cpus"]
    assert topology.line or topology.unknown["line"]
    assert workers.useful(topology, limits).count >= 1
    topology.to_json()
