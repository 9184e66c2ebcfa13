"""The common part of all continuations: check options, follow curves, return a branch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nsmb.analysis.branches.arclength import Family
from nsmb.analysis.branches.branch import Joined, joined
from nsmb.analysis.branches.curve import follow_both
from nsmb.analysis.branches.walker import Steps
from nsmb.analysis.common.errors import AnalysisInterrupted
from nsmb.analysis.common.sweep import progress_bar
from nsmb.analysis.orbits.newton import Linearized
from nsmb.common.arguments import as_array, as_number, fraction, known_name, whole
from nsmb.system.base import System

__all__ = ["Options", "follow_branch"]

B = TypeVar("B")
E = TypeVar("E", bound=Linearized)
P = TypeVar("P")


@dataclass(frozen=True)
class Options:
    """The options of `continuation`; None selects the default of the kind of problem."""

    step: float | None = None
    max_step: float | None = None
    max_points: int | None = None
    direction: int = 0
    tol: float | None = None
    progress: bool | None = False


def follow_branch(
    start: P,
    system: System,
    parameter: str,
    span: Sequence[float],
    options: Options,
    *,
    called: str,
    family: Callable[[float], Family[P, E]],
    branch: Callable[[Joined], B],
    max_points: int,
    tol: float,
    accuracy: float = Steps.accuracy,
) -> B:
    """Follow a solution over a parameter of its system.

    Parameters
    ----------
    start, system, parameter, span, options
        As in `continuation`; `system` is the system of the start.
    called : str
        Name of the kind of start, for messages.
    family : callable (width of the span) -> Family
    branch : callable
        Function that creates the result.
    max_points, tol : int, float
        Default values of the options.
    accuracy : float
        Accuracy of special points, in units of the span.

    Raises
    ------
    ValueError
        If the system has no such parameter, or if an option is out of range.
    AnalysisInterrupted
        If Ctrl-C is pressed; its ``result`` is the branch computed so far.
    """
    known_name("parameter", parameter, system.parameters)
    value = float(system.parameters[parameter])
    system.with_parameters(**{parameter: value})  # raises for systems that cannot be rebuilt
    steps = _steps(called, parameter, value, span, options, max_points, tol, accuracy)
    width = steps.high - steps.low
    if options.progress not in (True, False, None):
        raise TypeError(
            f"progress: must be True, False or None, got {options.progress!r}. Pass True for a bar."
        )
    bar = progress_bar(options.progress, steps.most)
    try:
        curves = follow_both(
            lambda: family(width), start, value, options.direction, steps, lambda _: bar.update(1)
        )
    except AnalysisInterrupted as interruption:
        so_far = branch(joined(interruption.result, parameter))
        raise AnalysisInterrupted(interruption.args[0], so_far) from None
    finally:
        bar.close()
    return branch(joined(curves, parameter))


def _steps(
    called: str,
    parameter: str,
    value: float,
    span: Sequence[float],
    options: Options,
    max_points: int,
    tol: float,
    accuracy: float,
) -> Steps:
    low, high = as_array("span", span, (2,)).tolist()
    if not low < high or not low <= value <= high:
        raise ValueError(
            f"span: must be low < high around {parameter} = {value:.8g} of the {called}, got "
            f"({low:.8g}, {high:.8g}). Include this value."
        )
    if options.direction not in (-1, 0, 1):
        raise ValueError(f"direction: must be +1, -1 or 0, got {options.direction!r}")
    most = max_points if options.max_points is None else whole("max_points", options.max_points, 2)
    precision = tol if options.tol is None else fraction("tol", options.tol)
    width = high - low
    first = 0.02 if options.step is None else _length("step", options.step, width)
    longest = (
        max(0.05, first)
        if options.max_step is None
        else _length("max_step", options.max_step, width)
    )
    return Steps(min(first, longest), longest, most, low, high, precision, accuracy=accuracy)


def _length(name: str, value: float, width: float) -> float:
    number = as_number(name, value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name}: must be a number > 0, got {value!r}")
    return number / width
