"""A machine in the terminal and as a picture."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from knee.errors import KneeError
from knee.machine.description import Machine
from knee.views import machine as view
from knee.views import machine_plot
from knee.views.probing import bars
from tests.machine.trees import FIXTURES
from tests.views.machines import recorded


def shown(machine: Machine, width: int = 140) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    view.render(machine, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("name", sorted(path.stem for path in FIXTURES.glob("*.[ts][ry][es]*")))
def test_every_recorded_machine_is_shown(name: str) -> None:
    text = shown(recorded(name))
    assert "Useful workers" in text
    assert "Cache line" in text
    assert "quota: The quota is 1.5 CPUs." in text
    assert "not checked: turbo (/sys/turbo: no such file or directory)" in text
    assert "checked when something is measured: gil" in text


def test_cores_that_are_alike_are_one_row() -> None:
    lines = shown(recorded("intel_hybrid")).splitlines()
    rows = [line.split() for line in lines if line.startswith(("performance", "efficiency"))]
    assert [row[:3] for row in rows] == [["performance", "8", "0-15"], ["efficiency", "16", "16-31"]]
    assert sum(line.startswith("core") for line in shown(recorded("amd_two_ccds")).splitlines()) == 2


def test_a_mac_has_no_cpu_numbers() -> None:
    assert "4 of them" in shown(recorded("apple_m4"))


def test_what_is_unknown_is_said_with_its_reason() -> None:
    assert "capacity: macOS names classes of core but not their speed" in shown(
        recorded("apple_m4"), width=200
    )


def test_probes_are_shown_with_their_verdicts() -> None:
    text = shown(recorded("vm_2vcpu", probed=True))
    assert (
        "same L3, atomic: 64 bytes (32 bytes apart a bump takes 4.0 times as long, from 64 bytes on no "
        "longer)" in text
    )
    assert "measured: 64 bytes" in text
    for words in ("Hand-over of a line", "Ceiling", "GB/s", "Speed of cores"):
        assert words in text


def test_a_large_machine_shows_hand_overs_by_relation() -> None:
    text = shown(recorded("amd_two_ccds", probed=True))
    assert "same package" in text
    assert "pairs, at most 24 of each relation, drawn at random" in text


@pytest.mark.parametrize("name", ["vm_2vcpu", "amd_two_ccds", "arm_big_little"])
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_picture_is_drawn(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"machine{suffix}"
    machine_plot.save(recorded(name, probed=True), path)
    assert path.stat().st_size > 10_000
    if suffix == ".svg":
        for words in ("bytes apart", "Hand-over", "work that shares nothing"):
            assert words in path.read_text()


def test_a_machine_that_was_not_probed_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(KneeError, match="probes were not run"):
        machine_plot.save(recorded("vm_2vcpu"), tmp_path / "machine.png")


def test_sizes_and_ranges_are_short() -> None:
    assert [view.size(value) for value in (None, 512, 32 << 10, 5 << 18)] == [
        "?",
        "512 B",
        "32 KiB",
        "1.25 MiB",
    ]
    assert view.ranges([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"
    assert [view.nanoseconds(value) for value in (2.9e-10, 7.6e-9, 1.2e-7)] == ["0.29 ns", "7.6 ns", "120 ns"]


def test_progress_is_silent_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with bars(Console(file=stream)) as tell:
        tell("line", 0.5)
    assert stream.getvalue() == ""


def test_progress_shows_a_bar_a_probe() -> None:
    stream = io.StringIO()
    with bars(Console(file=stream, force_terminal=True, width=100)) as tell:
        tell("line", 0.5)
    assert "distances that keep writers apart" in stream.getvalue()
