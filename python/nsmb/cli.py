"""The command line: ``nsmb list``, ``nsmb info``, ``nsmb run``, ``nsmb fclib``.

Exit codes: 0 on success, 1 if the run ended before t_end or a problem was not solved, 2 for wrong
usage, 130 if stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import importlib.util
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import nsmb
from nsmb.common.array_files import check_suffix
from nsmb.common.extras import import_extra
from nsmb.complementarity import fclib_command
from nsmb.events import last_cycle
from nsmb.pictures import plot
from nsmb.simulation.choice import choose
from nsmb.simulation.run_messages import gain_message, unsolved_message
from nsmb.solution.solution import Solution
from nsmb.system import ParameterInfo, System, registry
from nsmb.system.listing import describe, list_systems, terminal_width
from nsmb.system.method import Method
from nsmb.system.method_options import IMPACT_LAWS
from nsmb.system.options import OPTIONS

__all__ = ["main"]

_NO_INFO = ParameterInfo()
_SHOWN = 40  # rows of the event table by default

_EXAMPLES = """\
examples:
  nsmb list                               all ready-made systems
  nsmb info woodpecker                    parameters of one of them
  nsmb run woodpecker                     simulate it and print its events
  nsmb run woodpecker --set mu=0.9 --plot woodpecker.png
  nsmb fclib problem.hdf5                 solve a contact problem in a file
  nsmb run --help                         options of a command
"""

_RUN_EXAMPLES = """\
examples:
  nsmb run woodpecker --set mu=0.9 --last-cycle --plot woodpecker.pdf
  nsmb run bouncing_ball --t-end 4 --csv events.csv --save run.npz --events none

"nsmb info SYSTEM" lists the parameters that --set changes.
nsmb.Solution.load("run.npz") reads a saved run.
Exit code: 0 done, 1 run ended before its end time, 2 wrong usage, 130 Ctrl-C.
"""


class _UsageError(Exception):
    pass


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help formatter that aligns the options of a group and uses the width of the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=terminal_width())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        unknown = message.startswith("unrecognized")
        hint = ". Pass parameters as --set NAME=VALUE." if unknown else ""
        raise _UsageError(message + hint)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program name; default: those of the process.

    Returns
    -------
    int
        Exit code.
    """
    for stream in (sys.stdout, sys.stderr):  # a table with Λ_N must not fail on old terminals
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        arguments = _parser().parse_args(argv)
        command: Callable[[argparse.Namespace], int] = arguments.command
        return command(arguments)
    except _UsageError as error:
        print(f"nsmb: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # nsmb ... | head
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        print("nsmb: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"nsmb: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="nsmb",
        usage="nsmb COMMAND [options]",
        description="Simulate mechanical systems with contacts, impacts and dry friction.",
        epilog=_EXAMPLES,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"nsmb {nsmb.__version__}")
    parser.set_defaults(command=lambda _: _print(parser.format_help()))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    listing = commands.add_parser(
        "list",
        help="list the ready-made systems by topic",
        description="List the ready-made systems by topic.",
        formatter_class=_Help,
    )
    listing.set_defaults(command=_list)
    info = commands.add_parser(
        "info",
        help="show the parameters of a system",
        description="Show what a system is, its parameters, and how it is run by default.",
        formatter_class=_Help,
    )
    info.set_defaults(command=_info)
    info.add_argument("system", metavar="SYSTEM", help="name (nsmb list), or FILE.py:NAME")
    _add_run(commands)
    _add_fclib(commands)
    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="simulate a system",
        usage="nsmb run SYSTEM [options]",
        description="Simulate a system, print its events, plot and store its motion.",
        epilog=_RUN_EXAMPLES,
        formatter_class=_Help,
        add_help=False,
    )
    run.set_defaults(command=_run, parser=run)
    run.add_argument(
        "system",
        nargs="?",
        metavar="SYSTEM",
        help="name of a ready-made system (nsmb list), or FILE.py:NAME for your own",
    )
    run.add_argument(
        "-h", "--help", action="store_true", help="this text; with SYSTEM also its parameters"
    )
    motion = run.add_argument_group("motion (by default as the system recommends)")
    motion.add_argument("--t-end", type=float, metavar="T", help="end time, s")
    motion.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a parameter; may be repeated",
    )
    motion.add_argument(
        "--impact-law",
        choices=IMPACT_LAWS,
        metavar="LAW",
        help="moreau, poisson or newton",
    )
    motion.add_argument(
        "--step", type=float, metavar="H", help="use time stepping with this step, s"
    )
    motion.add_argument("--rtol", type=float, metavar="R", help="relative tolerance between events")
    motion.add_argument(
        "--integrator",
        metavar="NAME",
        help="method between events: auto, linear_flow, dp853, cvode, arkode_...",
    )
    motion.add_argument(
        "--rest-velocity",
        type=float,
        metavar="V",
        help="relative velocities below this value count as zero at events, m/s",
    )
    motion.add_argument(
        "--output-step",
        type=float,
        metavar="S",
        help="time between samples, s; events are always sampled",
    )
    output = run.add_argument_group("output")
    table = output.add_mutually_exclusive_group()
    table.add_argument(
        "--events",
        choices=("all", "last-cycle", "energy", "none"),
        metavar="TABLE",
        help=f"all, last-cycle, energy (of impacts) or none; by default up to {_SHOWN} events",
    )
    table.add_argument(
        "--last-cycle",
        action="store_const",
        const="last-cycle",
        dest="events",
        help="as --events last-cycle: the last period",
    )
    output.add_argument("--csv", type=Path, metavar="FILE", help="write all events as CSV")
    output.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the run: .png, .pdf or .svg"
    )
    output.add_argument(
        "--save", type=Path, metavar="FILE", help="store the run: .npz, .h5 or .hdf5"
    )


def _add_fclib(commands: Any) -> None:
    fclib = commands.add_parser(
        "fclib",
        help="describe and solve contact problems in files",
        description="Read contact problems in the format of FCLIB or Siconos and solve them.",
        epilog=fclib_command.EXAMPLES,
        formatter_class=_Help,
    )
    fclib_command.add_arguments(fclib)
    fclib.set_defaults(command=_fclib)


def _fclib(arguments: argparse.Namespace) -> int:
    try:
        return fclib_command.run(arguments)
    except (ValueError, ImportError) as error:
        raise _UsageError(str(error)) from None


def _list(_: argparse.Namespace) -> int:
    hint = '"nsmb info NAME" shows the parameters of a system, "nsmb run NAME" simulates it.'
    return _print(f"{list_systems(registry.catalogue('nsmb.systems'))}\n{hint}\n")


def _info(arguments: argparse.Namespace) -> int:
    return _print(describe(_builder(arguments.system)))


def _run(arguments: argparse.Namespace) -> int:
    if arguments.help:
        text: str = arguments.parser.format_help()
        if arguments.system is not None:
            text += f"\n{describe(_builder(arguments.system))}"
        return _print(text)
    if arguments.system is None:
        raise _UsageError('run: no system given. "nsmb list" lists the systems.')
    system, changes = _system(arguments)
    method = _method(arguments, system)
    _check_files(arguments)

    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # Reported below in one line.
            warnings.simplefilter("ignore", nsmb.EnergyGainWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            solution = nsmb.simulate(
                system,
                arguments.t_end,
                method=method,
                output_step=arguments.output_step,
                throw=False,
            )
    except ValueError as error:
        if not hasattr(error, "solution"):  # an argument is out of range, nothing has been computed
            raise _UsageError(str(error)) from None
        solution = error.solution
    wall = time.perf_counter() - begin

    name = " ".join(
        [system.name, *(f"{key}={_NO_INFO.shown(value)}" for key, value in changes.items())]
    )
    about = [f"{wall:.2g} s of computing"] + ([str(method)] if method.changed else [])
    _report(solution, arguments.events, name, about)
    _write(solution, arguments, name)
    for message in (gain_message(solution, method), unsolved_message(solution, method)):
        if message:
            print(f"nsmb: warning: {message}", file=sys.stderr)
    if solution.success:
        return 0
    print(f"nsmb: {solution.status}: {solution.message}", file=sys.stderr)
    return 130 if solution.status == "interrupted" else 1


def _system(arguments: argparse.Namespace) -> tuple[System, dict[str, float | str]]:
    system = _build(arguments.system, {})
    changes: dict[str, float | str] = {}
    for text in arguments.set:
        key, sign, value = text.partition("=")
        if not sign:
            raise _UsageError(f"--set {text}: expected NAME=VALUE")
        if key in changes:
            raise _UsageError(f"--set {text}: must be given once for each parameter, got it twice")
        if key not in {**system.parameters, **system.parameter_info}:
            raise _UsageError(
                f"--set {text}: {system.name} has no parameter {key!r}"
                f"{_suggestion(key, system.parameter_info)} (nsmb info {arguments.system} shows "
                "them)"
            )
        if system.parameter_info.get(key, _NO_INFO).choices:
            changes[key] = value
            continue
        try:
            changes[key] = float(value)
        except ValueError:
            raise _UsageError(f"--set {text}: expected a number, got {value!r}") from None
    return _build(arguments.system, changes), changes


def _build(name: str, parameters: Mapping[str, float | str]) -> System:
    try:
        system: System = _builder(name)(**parameters)
    except (ValueError, ImportError) as error:
        raise _UsageError(str(error)) from None
    return system


def _builder(name: str) -> Callable[..., System]:
    """Return the function that builds a ready-made system or a system of a user's file."""
    names = registry.names("nsmb.systems.")
    file, _, own = name.rpartition(":")
    if file:
        name, names = own, _names_of(Path(file))
    if name not in names:
        where = f"{file} defines {', '.join(names) or 'none'}" if file else "nsmb list shows them"
        raise _UsageError(f"no system {name!r}{_suggestion(name, names)} ({where})")
    return registry.builder(name)


def _names_of(file: Path) -> tuple[str, ...]:
    """Return the systems that a file defines by `nsmb.parametric`; the file is executed once."""
    if not file.is_file():
        raise _UsageError(f"no file {file}; expected FILE.py:NAME or the name of a system")
    if file.stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(file.stem, file)
        if spec is None or spec.loader is None:
            raise _UsageError(f"{file}: expected a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # so that its systems can be copied by name
        spec.loader.exec_module(module)
    return registry.names(f"{file.stem}.")


def _method(arguments: argparse.Namespace, system: System) -> Method:
    """Return the method of the system, with the changes from the command line."""
    names = ("impact_law", "rest_velocity", "rtol", "integrator", "step")
    given = {name: getattr(arguments, name) for name in names}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    try:
        usual = choose(system, "auto").method
        if arguments.step is not None and isinstance(usual, nsmb.EventDriven):
            usual = nsmb.Midpoint(arguments.step, impact_law=usual.impact_law)
        if isinstance(usual, nsmb.EventDriven):
            changes = _unused(changes) | changes
        else:
            _refuse_missing(usual, system, changes)
        return dataclasses.replace(usual, **changes)
    except ValueError as error:
        raise _UsageError(str(error)) from None


def _unused(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return None for recommended options that the choices on the command line do not use."""
    return {
        name: None
        for table in OPTIONS
        if table.chooser in changes
        for name, option in table.options.items()
        if name not in changes and changes[table.chooser] not in option.used_by
    }


def _refuse_missing(method: Method, system: System, changes: Mapping[str, Any]) -> None:
    """Raise _UsageError for options that a time-stepping method does not have."""
    for name in changes:
        if name in {field.name for field in dataclasses.fields(method)}:
            continue
        remedy = "Leave out --step."
        if not isinstance(system.recommended.method, nsmb.EventDriven | None):
            remedy = f"{system.name} is run in steps; its options are --step and --impact-law."
        option = f"--{name.replace('_', '-')}"
        raise _UsageError(
            f"{option}: must be left out for a run in steps, got {changes[name]}. {remedy}"
        )


def _check_files(arguments: argparse.Namespace) -> None:
    """Check before the run that all files can be written."""
    for path in (arguments.csv, arguments.plot, arguments.save):
        if path is not None and not path.absolute().parent.is_dir():
            raise _UsageError(f"cannot write {path}: no directory {path.parent}")
    if arguments.plot is not None:
        _need("matplotlib", "plot", "--plot")
        if arguments.plot.suffix.lower() not in (".png", ".pdf", ".svg"):
            raise _UsageError(f"--plot: expected a suffix .png, .pdf or .svg, got {arguments.plot}")
    if arguments.save is not None:
        try:
            suffix = check_suffix(arguments.save)
        except ValueError as error:
            raise _UsageError(str(error).replace("path", "--save", 1)) from None
        if suffix != ".npz":
            _need("h5py", "data", "--save")


def _need(module: str, extra: str, option: str) -> None:
    try:
        import_extra(module, extra)
    except ImportError as error:
        raise _UsageError(f"{option}: {error}") from None


def _report(solution: Solution, table: str | None, name: str, about: list[str]) -> None:
    end = solution.t_span[1] if solution.t.size else solution.events.t[-1:].sum()
    kinds = ", ".join(f"{n} {label}" for label, n in solution.events.count().items())
    print(
        f"{name}: {solution.status} at t = {end:.10g} s, {len(solution.events)} events"
        f"{f' ({kinds})' if kinds else ''}, {', '.join(about)}"
    )
    if table == "last-cycle":
        try:
            print(last_cycle(solution.events).to_text())
        except ValueError:
            print("no cycle: no contact has two impacts")
    elif table == "energy":
        print(solution.events.energy_table().to_text())
    elif table != "none" and len(solution.events):
        print(solution.events.to_text(max_rows=None if table == "all" else _SHOWN))


def _write(solution: Solution, arguments: argparse.Namespace, name: str) -> None:
    if arguments.csv is not None:
        solution.events.to_csv(arguments.csv)
    if arguments.save is not None:
        solution.save(arguments.save)
    if arguments.plot is not None and solution.t.size:
        import matplotlib

        matplotlib.use("Agg")
        title = name if solution.success else f"{name} ({solution.status})"
        plot.overview(solution, title=title).savefig(arguments.plot, dpi=150)


def _suggestion(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _print(text: str) -> int:
    print(text, end="")
    return 0
