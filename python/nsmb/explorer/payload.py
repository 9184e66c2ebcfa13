"""The numbers and texts of a run that a page draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import ContactState
from nsmb.pictures.drawing import BODIES
from nsmb.pictures.film import Film, film
from nsmb.pictures.framing import View
from nsmb.pictures.phase import usual_coordinate
from nsmb.pictures.rows import STATES, impact_marks, rows_of, state_bars, state_legend
from nsmb.solution.solution import Solution

__all__ = ["Arrays", "pack", "run_payload"]

Floats = NDArray[np.float64]
Arrays = dict[str, Floats]

_FRAMES = 200
_ROWS = 400  # rows of events
_BETWEEN = 2000  # additional times between samples, for smooth curves
_JUMP = 1e-9  # smallest jump relative to the range of a component, above rounding


def pack(arrays: Mapping[str, Floats]) -> tuple[dict[str, Any], bytes]:
    """Pack arrays into one block of 32-bit floats with a table of their positions.

    Parameters
    ----------
    arrays : mapping of str to array

    Returns
    -------
    dict
        ``offset`` in bytes and ``shape`` by name.
    bytes
    """
    table: dict[str, Any] = {}
    parts: list[bytes] = []
    place = 0
    for name, array in arrays.items():
        part = np.ascontiguousarray(array, dtype="<f4").tobytes()
        table[name] = {"offset": place, "shape": list(np.shape(array))}
        parts.append(part)
        place += len(part)
    return table, b"".join(parts)


def run_payload(
    solution: Solution, *, portrait: tuple[str, str] | None = None, with_scene: bool = True
) -> tuple[dict[str, Any], Arrays]:
    """Return the texts and arrays of a run, with lengths in m and times in s.

    Parameters
    ----------
    solution : Solution
    portrait : (str, str), optional
        Horizontal and vertical components; default: a coordinate that returns to its values, and
        its velocity.
    with_scene : bool
        Whether to add the animation of its scene if there is one.

    Returns
    -------
    dict
    dict of str to array
    """
    labels = solution.labels
    first, last = solution.t_span
    t, y = _curves(solution)
    repeated = np.flatnonzero(np.diff(t) == 0.0) + 1
    moved = np.abs(y[repeated] - y[repeated - 1]) > _JUMP * np.ptp(y, axis=0)
    jumps = repeated[moved.any(axis=1)]
    bars = state_bars(solution, solution.t_span)
    colors = list(dict.fromkeys(bar.color for bar in bars))
    rows = [
        (bar.row, start, end, colors.index(bar.color), bar.bottom, bar.height)
        for bar in bars
        for start, end in bar.spans
    ]
    times, places = impact_marks(solution, solution.t_span)
    arrays: Arrays = {
        "t": t,
        "y": y,
        "jumps": jumps.astype(np.float64),
        "bars": np.array(rows, dtype=np.float64).reshape(-1, 6),
        "impacts": np.column_stack([times, places]),
    }
    header, *cells = solution.events.cells(_ROWS)
    counts = ", ".join(f"{n} {kind}" for kind, n in solution.events.count().items())
    text = f"{len(solution.events)} events" + (f" ({counts})" if counts else "")
    if len(solution.events) > _ROWS:
        text += f", the first {len(cells)} below"
    told: dict[str, Any] = {
        "start": first,
        "end": last,
        "names": list(labels.components),
        "units": list(labels.component_units),
        "portrait": _portrait(solution, portrait),
        "rows": list(rows_of(solution)),
        "colors": colors,
        "legend": state_legend(solution),
        "events": {"header": list(header), "rows": [list(row) for row in cells], "text": text},
        "energy": energy_lines(solution),
    }
    system = solution._system_or_none
    if with_scene and system is not None and system.scene is not None:
        seen = film(solution, np.linspace(first, last, _FRAMES))
        told["film"] = _film_texts(seen)
        arrays |= {
            "film_t": seen.t,
            "points": seen.points,
            "springs": seen.springs,
            "joints": seen.joints,
            "contacts": seen.contacts,
            "states": seen.states.astype(np.float64),
        }
    return told, arrays


def energy_lines(solution: Solution) -> list[tuple[str, str]]:
    """Return the lines of the energy balance, values in J."""
    try:
        balance = solution.energy
    except ValueError as error:
        return [("energy", str(error))]
    known = bool(np.isfinite(balance.potential).all())
    total = balance.total if known else balance.kinetic
    name = "kinetic and potential" if known else "kinetic"
    lines = [
        (f"{name} energy at the start", total[0]),
        ("at the end", total[-1]),
        ("lost by impacts", balance.impact_loss[-1]),
        ("lost by sliding", balance.friction_loss[-1]),
        ("lost in force elements", balance.element_loss[-1]),
        ("work of moving contacts", balance.drive_work[-1]),
        ("work of other forces", balance.work[-1]),
    ]
    always = 4  # lines that are always shown; others only if they are not zero
    told = [(label, f"{value:.5g} J") for label, value in lines[:always]]
    told += [(label, f"{value:.5g} J") for label, value in lines[always:] if abs(value) > 1e-12]
    return [*told, ("missing in the balance", f"{np.abs(balance.residual).max():.1e} J")]


def _curves(solution: Solution) -> tuple[Floats, Floats]:
    """Return times (n,) in s and states (n, ny) at and between the samples."""
    t, rows = solution.t, np.concatenate([solution.q, solution.u, solution.x], axis=1)
    if not solution.has_dense_output:
        return t, rows
    between = np.setdiff1d(np.linspace(*solution.t_span, _BETWEEN), t)
    sample = solution.at(between)
    more = np.concatenate([sample.q, sample.u, sample.x], axis=1)
    order = np.argsort(np.concatenate([t, between]), kind="stable")
    return np.concatenate([t, between])[order], np.concatenate([rows, more])[order]


def _portrait(solution: Solution, given: tuple[str, str] | None) -> list[int]:
    """Return the columns of the phase portrait in y = (q, u, x)."""
    labels = solution.labels
    if given is not None:
        return [labels.component(name) for name in given]
    column = usual_coordinate(solution)
    nq, nu = len(labels.coordinates), len(labels.velocities)
    return [column, nq + (column if nq == nu else 0)]


def _film_texts(seen: Film) -> dict[str, Any]:
    moving = list(dict.fromkeys(part.body for part in seen.parts if not part.ground))
    color = {body: BODIES[k % len(BODIES)] for k, body in enumerate(moving)}
    return {
        "parts": [{**part._asdict(), "color": color.get(part.body, "")} for part in seen.parts],
        "view": _sides(seen.view),
        "follow_view": _sides(seen.follow_view),
        "followed": seen.followed,
        "follows": seen.follows,
        "names": list(seen.view.plane.names),
        "colors": {str(int(state)): style[0] for state, style in STATES.items()}
        | {str(int(ContactState.OPEN)): ""},
    }


def _sides(view: View) -> list[float]:
    return [*view.x, *view.y]
