"""Samples of a run at equal steps, across events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.statistics.columns import known_forces, stretch
from nsmb.common.arguments import as_instance, as_number, positive, unknown_name
from nsmb.solution.solution import Sample, Solution

__all__ = ["sample_signal"]

Vector = NDArray[np.float64]
What = str | Callable[[Sample], ArrayLike]


def sample_signal(
    solution: Solution,
    what: What,
    *,
    step: float,
    t_start: float | None = None,
    t_end: float | None = None,
) -> tuple[Vector, Vector]:
    """Sample a component, a force, or any function of the motion at equal steps, across all events.

    The motion is that of the dense output. Where a sample coincides with an event, its value is the
    mean of both sides, as that of a Fourier series. Spectra, spectrograms and envelopes of the
    samples are computed by `scipy.signal`.

    Parameters
    ----------
    solution : Solution
    what : str or callable
        A component of the state or a force, named as in tables, or the name of a force element or a
        contact; or a function ``sample -> values`` of what `Solution.at` returns at many times.
        Forces take about as long as the run itself, unless the samples of the run are at these
        times (``output_step``).
    step : float
        s
    t_start, t_end : float, optional
        s. Default: the run. The last sample is up to one step before `t_end`, so that no sample of
        a whole period is repeated.

    Returns
    -------
    t, values : (n,) ndarray
        Times in s, and the values in the unit of `what`.

    Raises
    ------
    ValueError
        For an unknown name, or times outside the run.

    Examples
    --------
    The largest line of the spectrum of a driven oscillator is that of its drive:

    >>> import numpy as np
    >>> import scipy.signal
    >>> import nsmb
    >>> from nsmb import analysis
    >>> run = nsmb.simulate(nsmb.systems.impact_oscillator(F=0.3, omega=2.0), t_end=40 * np.pi)
    >>> period = np.pi
    >>> t, x = analysis.sample_signal(run, "x", step=period / 64, t_start=20 * period)
    >>> f, power = scipy.signal.periodogram(x, 64 / period, scaling="spectrum")
    >>> bool(np.isclose(f[power.argmax()], 1 / period)), round(float(np.sqrt(2 * power.max())), 4)
    (True, 0.0998)
    """
    solution = as_instance("solution", solution, Solution)
    positive("step", as_number("step", step))
    start, end = stretch(solution, t_start, t_end)
    last = solution.t_span[1]
    count = round((end - start) / step)
    if abs(count * step - (end - start)) > 1e-6 * step:
        count = int((end - start) / step) + 1
    t = np.minimum(start + step * np.arange(count), last)
    function = _reader(solution, what)
    values = _values(function, solution.at(t), t.size)
    at_event = np.isin(t, solution.t[1:][np.diff(solution.t) == 0.0])
    if at_event.any():
        before = _values(function, solution.at(t[at_event], "left"), int(at_event.sum()))
        values[at_event] = 0.5 * (values[at_event] + before)
    return np.asarray(start + step * np.arange(count), dtype=np.float64), values


def _values(function: Callable[[Sample], ArrayLike], sample: Sample, size: int) -> Vector:
    values: Vector = np.array(function(sample), dtype=np.float64)
    if values.shape != (size,):
        raise ValueError(f"what: expected values of shape ({size},), got {values.shape}")
    return values


def _reader(solution: Solution, what: What) -> Callable[[Sample], ArrayLike]:
    """Return the function of a sample."""
    if not isinstance(what, str):
        if not callable(what):
            raise ValueError(f"what: expected a name or a function of a sample, got {what!r}")
        return what
    labels = solution.labels
    try:
        place = labels.component(what)
    except ValueError:
        known = known_forces(labels)
        if what not in known:
            raise unknown_name("what", what, [*labels.components, *known]) from None
        return known[what].of

    def of(sample: Sample) -> Vector:
        y = np.concatenate([sample.q, sample.u, sample.x], axis=-1)
        return np.asarray(y[..., place])

    return of
