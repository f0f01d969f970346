"""The command line: one file a verb, imported when it is called, so that ``knee --help`` is quick.

A verb is a module of this package with a click command named ``command`` and a line in ``VERBS``. A command
returns its exit code, or None for 0; it raises ``KneeError`` for what the user can mend.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from knee.cli import plain
from knee.errors import KneeError
from knee.launch.interrupt import termination

VERBS = {
    "run": "Measure how a workload scales with workers.",
    "why": "Find what stops it, by removing one kind of sharing at a time.",
    "compare": "Compare treatments of a workload, blocked so that where it ran cannot fool.",
    "check": "Fail where a change is proven slower, or scales too little: for CI.",
    "machine": "Show this machine, how many workers are useful on it, and what spoils numbers.",
    "list": "List the runs in the store.",
    "show": "Show a stored run again, in any format.",
    "schema": "Print the JSON Schema of a verb's --json.",
}
"""Each verb with the line that ``knee --help`` shows, in the order in which people meet them."""


_OUTPUT_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


class _Verbs(click.Group):
    """A group whose commands are modules, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*VERBS]  # ``list`` is a verb, and a name of this module, once it was called

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"knee.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Verbs"):
            formatter.write_dl([*VERBS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from knee import __version__

        click.echo(f"knee {__version__}")
        ctx.exit()


@click.group(
    cls=_Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="knee VERB --help tells the rest. The store is knee.db in the project, or --store, or KNEE_STORE.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Find the knee in a program's scaling curve, whether to believe the curve, and why it bends."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 is success, 1 a workload that failed or a check that did not hold, 2 bad input or surroundings, 130 an
    interrupt.
    """
    plain.use()
    try:
        with termination():
            code: Any = command.main(
                args=None if arguments is None else [*arguments], prog_name="knee", standalone_mode=False
            )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except KneeError as error:
        _complain(error.text, error.advice)
        return error.exit_code
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "knee"
        _complain(_lowered(error.format_message()), f"{where} --help shows what there is")
        return 2
    except click.ClickException as error:
        _complain(_lowered(error.format_message()), "")
        return 2
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted", "")
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain again when it flushes at exit.
        _forget_output()
        return 1  # as click does, where it meets the error first
    except OSError as error:
        if error.filename is None and error.errno in _OUTPUT_ERRORS:
            _forget_output()
            _complain(f"standard output cannot be written: {error.strerror}", "send it elsewhere")
            return 2
        if isinstance(error, FileNotFoundError) and not _has_folder():
            _complain("the current folder has been deleted", "cd to one that exists")
            return 2
        if error.filename is not None and error.strerror:
            _complain(
                f"{os.fsdecode(error.filename)}: {error.strerror}", "check the path and its permissions"
            )
            return 2
        raise


def _forget_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _has_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _complain(text: str, advice: str) -> None:
    click.echo(f"knee: {text}", err=True)
    if advice:
        click.echo(f"  {advice}", err=True)


def _lowered(text: str) -> str:
    """Turn click's ``Invalid value for '--workers': ...`` into the rest of a line."""
    return (text[:1].lower() + text[1:]).rstrip(".")
