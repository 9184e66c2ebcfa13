"""The command ``nsmb fclib FILE...``, which describes and solves contact problems in files."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from nsmb.common.extras import import_extra
from nsmb.complementarity import fclib
from nsmb.complementarity.fclib import StoredProblem
from nsmb.complementarity.friction import FrictionResult, solve
from nsmb.complementarity.stored_facts import contact_states, facts

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
examples:
  nsmb fclib Capsules-i101-404.dat
  nsmb fclib --tol 1e-10 --max-time 20 --save solved.hdf5 Spheres-i099-356-679.hdf5
  nsmb fclib --save solved data/*.hdf5

The residual is the natural map over the norm of q, recomputed from the file's data, as FCLIB and
Siconos measure. Exit code: 0 all solved, 1 a problem not solved or a file not read, 2 wrong usage.
"""

_LAYOUTS = {"fclib": "FCLIB's layout", "siconos": "Siconos' text format"}
_ROWS = {2: "in a plane (N, T)", 3: "(N, T1, T2)", 5: "with rolling friction (N, T1, T2, R1, R2)"}
_FORMS = {"local": "y = W x + q", "global": "M v = H x + f, y = Hᵀ v + w"}
_SYMMETRIC = 1e-12  # asymmetry due to rounding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="one problem each")
    parser.add_argument(
        "--tol", type=float, default=1e-8, metavar="R", help="residual to reach (default: 1e-8)"
    )
    parser.add_argument(
        "--max-time",
        type=float,
        default=60.0,
        metavar="T",
        help="s for each problem, then the best point so far counts (default: 60; inf: no limit)",
    )
    parser.add_argument(
        "--method",
        default="auto",
        metavar="NAME",
        help="one for sparse matrices, see nsmb.complementarity.friction.solve",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="write problem and solution in FCLIB's layout: .hdf5 or .h5; a folder for several",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code; ValueError or ImportError if it cannot start."""
    _check_save(arguments)
    bad = 0
    for path in arguments.files:
        try:
            stored = fclib.read(path)
        except (ValueError, OSError) as error:
            print(f"nsmb: {error}", file=sys.stderr)
            bad += 1
            continue
        print(_described(path.name, stored), flush=True)
        begin = time.process_time()
        result = solve(
            stored.problem,
            arguments.method,
            tol=arguments.tol,
            max_time=arguments.max_time,
            impulse_scale=1.0,  # the residual of FCLIB and Siconos
        )
        print(_outcome(stored, result, time.process_time() - begin, arguments.tol), flush=True)
        if arguments.save is not None:
            target = arguments.save
            if target.is_dir():
                target = target / f"{path.name.removesuffix(path.suffix)}.hdf5"
            fclib.write(stored.data, target, solution=result, title=stored.title)
        bad += not result.success
    return 1 if bad else 0


def _check_save(arguments: argparse.Namespace) -> None:
    """Check before the first solve that the results can be written."""
    target = arguments.save
    if target is None:
        return
    import_extra("h5py", "data")
    if target.is_dir():
        return
    if len(arguments.files) > 1:
        raise ValueError(f"--save: expected a folder for several files, got {target}")
    if target.suffix.lower() not in (".hdf5", ".h5"):
        raise ValueError(f"--save: expected a folder or a suffix .hdf5 or .h5, got {target}")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"cannot write {target}: no directory {target.parent}")


def _described(name: str, stored: StoredProblem) -> str:
    data, sizes = stored.data, facts(stored.data)
    lines = [
        f"{name}: {_LAYOUTS[stored.layout]}, {sizes.form} form {_FORMS[sizes.form]}"
        f"{f', {stored.title!r}' if stored.title else ''}",
        f"  {sizes.contacts} contacts {_ROWS[sizes.dimension]}{_range('mu', data.mu)}"
        f"{_range('mu_R', data.mu_R)}{f', {sizes.free} bilateral rows' if sizes.free else ''}",
    ]
    unknowns = f"{sizes.rows} impulses"
    if sizes.velocities is not None:
        unknowns += f", {sizes.velocities} velocities"
    rank = f"{'at most ' if sizes.rank_is_bound else ''}{sizes.rank}"
    less = sizes.rows - sizes.rank
    missing = f" ({less} dependent)" if less and not sizes.rank_is_bound else ""
    lines.append(
        f"  {unknowns}; W has rank {rank}{missing} and {100 * sizes.density:.3g} % of its entries"
    )
    if sizes.asymmetry > _SYMMETRIC:
        matrix = "W" if sizes.form == "local" else "M"
        lines.append(f"  {matrix} is not symmetric: {sizes.asymmetry:.1e} of its largest entry")
    return "\n".join(lines)


def _outcome(stored: StoredProblem, result: FrictionResult, seconds: float, tol: float) -> str:
    states = contact_states(stored.data, result.x, result.y)
    word = str(result.status).replace("_", " ")
    return (
        f"  {word} by {result.method} in {seconds:.2g} s: residual {result.residual:.1e} "
        f"(natural map over norm of q, tol {tol:g}), {result.iterations} iterations\n"
        f"  {', '.join(f'{count} {state}' for state, count in states.items())}"
    )


def _range(name: str, values: np.ndarray | None) -> str:
    if values is None or not values.size:
        return ""
    low, high = float(values.min()), float(values.max())
    return f", {name} {low:g}" if low == high else f", {name} {low:g} ... {high:g}"
