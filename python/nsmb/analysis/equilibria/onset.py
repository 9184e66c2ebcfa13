"""Onset of self-excitation: an eigenvalue of a steady state crosses the imaginary axis."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.equilibria.equilibria import equilibrium
from nsmb.analysis.equilibria.modes import ModalAnalysis, modes
from nsmb.common.arguments import as_array, as_callable, as_mapping, fraction, known_name, whole
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["EigenvalueCrossing", "onset"]

_NONE = 1e-9  # relative to the largest eigenvalue; smaller growth is rounding


@dataclass(frozen=True, eq=False)
class EigenvalueCrossing:
    """A value of the parameter at which an eigenvalue crosses the imaginary axis."""

    parameter: str
    value: float
    eigenvalue: complex
    """The crossing eigenvalue, in 1/s; its imaginary part is the angular frequency of the onset."""
    starts: bool
    """True if motions grow above the value, False if they grow below it."""
    modes: ModalAnalysis
    """Modes at the value."""

    @property
    def frequency(self) -> float:
        """Frequency of the crossing eigenvalue, in Hz; 0 for monotonic growth."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)


def onset(
    system: SystemLike,
    parameter: str,
    span: Sequence[float],
    *,
    contact_state: Mapping[str, str] | None = None,
    state: Callable[[System], State] | None = None,
    points: int = 41,
    tol: float = 1e-12,
) -> list[EigenvalueCrossing]:
    """Find the values of a parameter at which self-excitation starts or ends.

    The largest real part of the eigenvalues is followed over the span. A change of its sign between
    two of the points is located by Brent's method. Two crossings between neighbouring points remain
    undetected. :func:`nsmb.analysis.continuation` follows equilibria around folds and finds Hopf
    points of all eigenvalues. In contrast, this function only needs a state for each value.

    Parameters
    ----------
    system : System or Model
    parameter : str
        Name of a parameter of the system.
    span : (low, high)
        Interval of the parameter that is searched.
    contact_state : mapping of str to str, optional
        As for :func:`modes`.
    state : callable (System) -> State, optional
        Function that returns the steady state of a system, such as sliding at constant speed.
        Default: the state of rest near that of the previous value.
    points : int
        Number of values, including the ends.
    tol : float
        Tolerance of the value, in units of the span.

    Returns
    -------
    list of EigenvalueCrossing
        The crossings by increasing value.

    Raises
    ------
    ValueError
        If the system has no such parameter, or if the span or the number of points is invalid.
    AnalysisError
        If there is no state of rest at a value, which the message gives.

    Examples
    --------
    A mass on a belt with falling friction is self-excited up to a certain speed of the belt:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> belt = nsmb.systems.belt_oscillator(d=0.5, v_B=0.4)
    >>> (end,) = analysis.onset(belt, "v_B", (0.05, 0.5))
    >>> exact = nsmb.systems.belt_oscillator.sliding(d=0.5, v_B=0.4).v_stable
    >>> bool(abs(end.value - exact) < 1e-8), end.starts
    (True, False)
    """
    from scipy.optimize import brentq

    system = as_system("system", system)
    known_name("parameter", parameter, system.parameters)
    ends = as_array("span", span, (2,)).tolist()
    if not ends[0] < ends[1]:
        raise ValueError(f"span: must be two numbers, low < high, got {tuple(span)!r}. Swap them.")
    count = whole("points", points, 2)
    width = fraction("tol", tol) * (ends[1] - ends[0])
    if state is not None:
        as_callable("state", state, "system")
    search = _Search(system, parameter, as_mapping("contact_state", contact_state, "states"), state)
    values = np.linspace(ends[0], ends[1], count)
    search.zeros = min(search.modes(float(value)).zeros for value in (values[0], values[-1]))
    growths = np.array([search.growth(float(value)) for value in values])
    counted = np.flatnonzero(growths != 0.0)
    found = []
    for i, j in itertools.pairwise(counted):
        if growths[i] * growths[j] > 0.0:
            continue
        value = float(brentq(search.growth, values[i], values[j], xtol=width))
        here = search.modes(value)
        starts = bool(growths[j] > 0.0)
        found.append(EigenvalueCrossing(parameter, value, search.crossing(here), starts, here))
    return found


class _Search:
    """Modes over a parameter; each search for a state of rest starts from the last one."""

    def __init__(
        self,
        system: System,
        parameter: str,
        contact_state: Mapping[str, str],
        state: Callable[[System], State] | None,
    ) -> None:
        self.system, self.parameter, self.state = system, parameter, state
        self.contact_state = dict(contact_state)
        self.last: State | None = None
        self.zeros = 0  # number of zero eigenvalues at all values

    def modes(self, value: float) -> ModalAnalysis:
        system = self.system.with_parameters(**{self.parameter: value})
        if self.state is not None:
            return modes(system, self.state(system), self.contact_state)
        contacts = {k: v for k, v in self.contact_state.items() if k not in system.elements}
        try:
            here = equilibrium(system, start=self.last, contact_state=contacts)
        except AnalysisError as error:
            raise AnalysisError(f"at {self.parameter} = {value:.8g}: {error}") from None
        self.last = here.state
        return modes(system, here, self.contact_state or None)

    def growth(self, value: float) -> float:
        """Return the largest real part; zero if it is rounding or a further eigenvalue is zero."""
        here = self.modes(value)
        least = 0.0 if here.zeros > self.zeros else -np.inf
        # Keep the sign within rounding, so that a zero is found between its two sides.
        own = here.eigenvalues[here.eigenvalues != 0.0]
        growth = max(float(own.real.max(initial=-np.inf)), least)
        largest = float(np.abs(here.eigenvalues).max(initial=0.0))
        return growth if abs(growth) > _NONE * largest else 0.0

    def crossing(self, here: ModalAnalysis) -> complex:
        """Return the eigenvalue with the largest real part."""
        own = here.eigenvalues[here.eigenvalues != 0.0]
        if here.zeros > self.zeros or own.size == 0:
            return 0.0j
        return complex(own[np.argmax(own.real)])
