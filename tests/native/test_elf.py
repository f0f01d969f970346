"""Programs into which nothing can be preloaded."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.native.elf import static

COMPILER = shutil.which("cc") or shutil.which("gcc") or ""


@pytest.mark.skipif(sys.platform != "linux" or not COMPILER, reason="needs a C compiler on Linux")
@pytest.mark.parametrize(("options", "expected"), [(["-static"], True), ([], False)])
def test_only_a_program_without_a_dynamic_loader_is_static(
    options: list[str], expected: bool, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    built = subprocess.run(
        [COMPILER, "-x", "c", "-", "-o", str(program), *options],
        input="int main(void) { return 0; }",
        text=True,
        capture_output=True,
        check=False,
    )
    if built.returncode:
        pytest.skip(f"the C library has no static form here: {built.stderr[-200:]}")
    assert static(str(program)) is expected


def test_programs_are_looked_up_in_the_path() -> None:
    assert static("sh") is static(shutil.which("sh") or "")


@pytest.mark.parametrize("text", [b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58)])
def test_what_is_no_whole_elf_file_is_not_static(text: bytes, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(text)
    program.chmod(0o755)
    assert not static(str(program))
    assert not static(str(tmp_path / "missing"))


def written(types: list[int], wide: bool, order: str) -> bytes:
    """An ELF file with nothing but segments of these types."""
    size = 56 if wide else 32
    head = bytearray(64)
    head[:6] = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2])
    struct.pack_into(order + ("Q" if wide else "I"), head, 32 if wide else 28, 64)
    struct.pack_into(order + "HH", head, 54 if wide else 42, size, len(types))
    return bytes(head) + b"".join(struct.pack(order + "I", kind) + bytes(size - 4) for kind in types)


@given(st.lists(st.integers(0, 7), max_size=6), st.booleans(), st.sampled_from("<>"), st.integers(0, 300))
def test_the_loaders_segment_decides_in_either_width_and_order(
    types: list[int], wide: bool, order: str, cut: int
) -> None:
    """And a file that is cut short is not called static."""
    whole = written(types, wide, order)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        program.write_bytes(whole)
        program.chmod(0o755)
        assert static(str(program)) is (bool(types) and 3 not in types)
        program.write_bytes(whole[:cut])
        assert static(str(program)) is (bool(types) and 3 not in types and cut >= len(whole))
