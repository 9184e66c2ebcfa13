"""Signals of a run at equal steps: spectra, spectrograms, envelopes, instantaneous frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.figures.plot_style import BLUE, axis_text, new_axes, style_axes
from nsmb.analysis.statistics.columns import known_forces, stretch
from nsmb.common.arguments import as_column, as_instance, as_number, positive, unknown_name, whole
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.solution.solution import Sample, Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AnalyticSignal", "Signal", "Spectrogram", "Spectrum", "sample_signal"]

Vector = NDArray[np.float64]
What = str | Callable[[Sample], ArrayLike]


@dataclass(frozen=True, eq=False)
class Spectrum(ShownAsTable):
    """One-sided spectrum: a sine A sin(2π f t) over whole periods has the amplitude A at f."""

    frequency: Vector
    """(m,) Hz"""
    amplitude: Vector
    """(m,) in the unit of the signal; at 0 Hz the mean."""
    phase: Vector
    """(m,) rad, of a cosine that begins with the signal."""
    name: str
    unit: str

    @property
    def resolution(self) -> float:
        """Hz, distance of the lines."""
        return float(self.frequency[1] - self.frequency[0])

    def largest(self, count: int = 5, above: float = 0.0) -> list[tuple[float, float]]:
        """The highest peaks, largest first: pairs of frequency (Hz) and amplitude.

        Parameters
        ----------
        count : int
        above : float
            Hz, leave out what lies below; the mean is left out in any case.
        """
        signal = import_extra("scipy.signal", "analysis")
        inside = np.where(self.frequency >= as_number("above", above), self.amplitude, 0.0)
        inside[0] = 0.0
        places = signal.find_peaks(np.append(inside, 0.0))[0]
        places = places[np.argsort(-self.amplitude[places])][: whole("count", count, 1)]
        return [(float(self.frequency[k]), float(self.amplitude[k])) for k in places]

    def plot(self, *, f_max: float | None = None, ax: Axes | None = None) -> Axes:
        """Amplitude over frequency.

        Parameters
        ----------
        f_max : float, optional
            Hz, end of the axis.
        ax : Axes, optional
            To draw in; default: those of a new figure.

        Returns
        -------
        Axes
        """
        ax = new_axes(ax, 6.4, 3.0)
        ax.plot(self.frequency, self.amplitude, color=BLUE, linewidth=0.9)
        ax.set_xlim(0.0, self.frequency[-1] if f_max is None else f_max)
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("f / Hz")
        ax.set_ylabel(axis_text(self.name, self.unit))
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        lines = [
            f"Spectrum of {self.name}: {self.frequency.size} lines to {self.frequency[-1]:g} Hz"
        ]
        lines += [f"  {f:.6g} Hz  {a:.6g} {self.unit}" for f, a in self.largest(3)]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Spectrogram(ShownAsTable):
    """Spectra of stretches of a signal, over time."""

    t: Vector
    """(k,) s, middles of the stretches."""
    frequency: Vector
    """(m,) Hz"""
    amplitude: Vector
    """(m, k) as in `Spectrum`."""
    name: str
    unit: str

    @property
    def ridge(self) -> Vector:
        """(k,) Hz, the strongest line of each stretch, without the mean."""
        return np.asarray(self.frequency[1:][np.argmax(self.amplitude[1:], axis=0)])

    def plot(self, *, f_max: float | None = None, ax: Axes | None = None) -> Axes:
        """Amplitude as colour over time and frequency.

        Parameters
        ----------
        f_max : float, optional
            Hz, end of the axis.
        ax : Axes, optional
            To draw in; default: those of a new figure.

        Returns
        -------
        Axes
        """
        ax = new_axes(ax, 6.4, 3.6)
        mesh = ax.pcolormesh(
            self.t, self.frequency, self.amplitude, cmap="viridis", shading="nearest",
            rasterized=True,
        )  # fmt: skip
        ax.figure.colorbar(mesh, ax=ax, label=axis_text(self.name, self.unit))
        ax.set_ylim(0.0, self.frequency[-1] if f_max is None else f_max)
        ax.set_xlabel("t / s")
        ax.set_ylabel("f / Hz")
        return ax

    def __repr__(self) -> str:
        return (
            f"Spectrogram of {self.name}: {self.t.size} stretches, {self.frequency.size} lines\n"
            f"  strongest {spread(self.ridge)} Hz"
        )


@dataclass(frozen=True, eq=False)
class AnalyticSignal(ShownAsTable):
    """A signal without its mean as a(t) cos θ(t), by its Hilbert transform."""

    t: Vector
    """(n,) s"""
    envelope: Vector
    """(n,) a, in the unit of the signal."""
    phase: Vector
    """(n,) θ, rad, without jumps."""
    name: str
    unit: str

    @property
    def frequency(self) -> Vector:
        """(n,) Hz, instantaneous: θ̇/2π."""
        return np.asarray(np.gradient(self.phase, self.t) / (2.0 * np.pi))

    def area(self, t_start: float | None = None, t_end: float | None = None) -> float:
        """Area between both envelopes, 2 ∫ a dt: how much a signal swings, and for how long.

        Parameters
        ----------
        t_start, t_end : float, optional
            s; default: the whole signal. Samples within are joined by straight lines.

        Returns
        -------
        float
            In the unit of the signal times s.

        Raises
        ------
        ValueError
            For a stretch with less than two samples.
        """
        first = self.t[0] if t_start is None else as_number("t_start", t_start)
        last = self.t[-1] if t_end is None else as_number("t_end", t_end)
        inside = (self.t >= first) & (self.t <= last)
        if inside.sum() < 2:
            raise ValueError(
                f"t_start, t_end: expected a stretch of [{self.t[0]:g}, {self.t[-1]:g}] s with two "
                f"samples or more, got {first:g} to {last:g}"
            )
        ends = self.envelope[inside]
        return float(np.sum((ends[1:] + ends[:-1]) * np.diff(self.t[inside])))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The signal within its envelope.

        Parameters
        ----------
        ax : Axes, optional
            To draw in; default: those of a new figure.

        Returns
        -------
        Axes
        """
        ax = new_axes(ax, 6.4, 3.0)
        ax.fill_between(self.t, -self.envelope, self.envelope, color="#A6CEE8", linewidth=0.0)
        ax.plot(self.t, self.envelope * np.cos(self.phase), color=BLUE, linewidth=0.7)
        ax.set_xlim(self.t[0], self.t[-1])
        ax.set_xlabel("t / s")
        ax.set_ylabel(axis_text(self.name, self.unit))
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        return (
            f"AnalyticSignal of {self.name}: {self.t.size} samples\n"
            f"  envelope {spread(self.envelope)} {self.unit}\n"
            f"  frequency {spread(self.frequency)} Hz"
        )


@dataclass(frozen=True, eq=False)
class Signal(ShownAsTable):
    """Values at equal steps of time, see :func:`sample_signal`."""

    t: Vector
    """(n,) s"""
    values: Vector
    """(n,)"""
    name: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        for field in ("t", "values"):
            object.__setattr__(self, field, as_column(field, getattr(self, field)))
        if self.t.size != self.values.size or self.t.size < 4:
            raise ValueError(
                f"values: expected four or more, one for each time, got {self.values.size} for "
                f"{self.t.size} times"
            )
        steps = np.diff(self.t)
        if not (steps > 0.0).all() or np.ptp(steps) > 1e-6 * steps.mean():
            raise ValueError(f"t: expected equal steps > 0, got steps from {spread(steps)}")

    @property
    def step(self) -> float:
        """s"""
        return float((self.t[-1] - self.t[0]) / (self.t.size - 1))

    @property
    def rms(self) -> float:
        """Root mean square without the mean."""
        return float(self.values.std())

    def spectrum(self, window: str = "boxcar") -> Spectrum:
        """Spectrum of the whole.

        Parameters
        ----------
        window : str
            Of `scipy.signal.get_window`: ``boxcar`` for whole periods, ``hann`` for others.

        Raises
        ------
        ValueError
            For an unknown window.
        """
        fft = import_extra("scipy.fft", "analysis")
        n, mean = self.values.size, float(self.values.mean())
        weights = _window(window, n)
        lines = fft.rfft((self.values - mean) * weights) / weights.sum()
        lines[1:] *= 2.0
        if n % 2 == 0:
            lines[-1] *= 0.5
        lines[0] = mean
        return Spectrum(
            fft.rfftfreq(n, self.step), np.abs(lines), np.angle(lines), self.name, self.unit
        )

    def spectrogram(
        self, length: float, *, overlap: float = 0.75, window: str = "hann"
    ) -> Spectrogram:
        """Spectra of stretches of this length.

        Parameters
        ----------
        length : float
            s
        overlap : float
            Part of a stretch that the next one shares.
        window : str
            Of `scipy.signal.get_window`.

        Raises
        ------
        ValueError
            For a length beyond that of the signal, an overlap outside [0, 1), or an unknown
            window.
        """
        signal = import_extra("scipy.signal", "analysis")
        points = round(positive("length", as_number("length", length)) / self.step)
        if not 8 <= points <= self.values.size:
            raise ValueError(
                f"length: expected a time from {8 * self.step:g} to "
                f"{self.values.size * self.step:g} s, got {length:g}"
            )
        if not 0.0 <= as_number("overlap", overlap) < 1.0:
            raise ValueError(f"overlap: expected a number in [0, 1), got {overlap!r}")
        frequency, middle, lines = signal.spectrogram(
            self.values, 1.0 / self.step, window=_window(window, points), nperseg=points,
            noverlap=min(round(overlap * points), points - 1), detrend="constant",
            scaling="spectrum", mode="magnitude",
        )  # fmt: skip
        lines[1:] *= 2.0
        if points % 2 == 0:
            lines[-1] *= 0.5  # the highest line stands alone
        return Spectrogram(self.t[0] + middle, frequency, lines, self.name, self.unit)

    def analytic(self, f_min: float = 0.0, f_max: float | None = None) -> AnalyticSignal:
        """Envelope and instantaneous frequency; near both ends they are less exact.

        Parameters
        ----------
        f_min, f_max : float
            Hz, the band that is looked at; default: all but the mean.

        Raises
        ------
        ValueError
            For a band without a line.
        """
        fft = import_extra("scipy.fft", "analysis")
        n = self.values.size
        frequency = fft.fftfreq(n, self.step)
        top = 0.5 / self.step if f_max is None else as_number("f_max", f_max)
        inside = (frequency > 0.0) & (frequency >= as_number("f_min", f_min)) & (frequency <= top)
        if not inside.any():
            raise ValueError(
                f"f_min, f_max: expected a band within (0, {0.5 / self.step:g}) Hz, got "
                f"[{f_min!r}, {f_max!r}]"
            )
        # the analytic signal has the lines of positive frequency alone, twice
        z = fft.ifft(np.where(inside, 2.0 * fft.fft(self.values), 0.0))
        return AnalyticSignal(self.t, np.abs(z), np.unwrap(np.angle(z)), self.name, self.unit)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Values over time.

        Parameters
        ----------
        ax : Axes, optional
            To draw in; default: those of a new figure.

        Returns
        -------
        Axes
        """
        ax = new_axes(ax, 6.4, 3.0)
        ax.plot(self.t, self.values, color=BLUE, linewidth=0.8)
        ax.set_xlim(self.t[0], self.t[-1])
        ax.set_xlabel("t / s")
        ax.set_ylabel(axis_text(self.name, self.unit))
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        return (
            f"Signal {self.name}: {self.t.size} samples, t from {spread(self.t)} s\n"
            f"  values {spread(self.values)} {self.unit}\n"
            f"  rms {self.rms:.6g} {self.unit}"
        )


def sample_signal(
    solution: Solution,
    what: What,
    *,
    step: float,
    t_start: float | None = None,
    t_end: float | None = None,
    name: str | None = None,
) -> Signal:
    """A component, a force, or any function of the motion, at equal steps across all events.

    The motion is that of the dense output; where a sample falls on an event the value is the mean
    of both sides, which is what a Fourier series has there.

    Parameters
    ----------
    solution : Solution
    what : str or callable
        A component of the state or a force, as tables call it, or the name of a force element or a
        contact; or ``sample -> values`` of what `Solution.at` returns at many times. Forces take
        about as long as the run itself, unless its samples are at these times (``output_step``).
    step : float
        s
    t_start, t_end : float, optional
        s; default: the run. The last sample lies before `t_end` by up to a step, so that whole
        periods have no sample twice.
    name : str, optional
        Of the signal.

    Returns
    -------
    Signal

    Raises
    ------
    ValueError
        For an unknown name, or times outside the run.
    """
    solution = as_instance("solution", solution, Solution)
    positive("step", as_number("step", step))
    start, end = stretch(solution, t_start, t_end)
    last = solution.t_span[1]
    count = round((end - start) / step)
    if abs(count * step - (end - start)) > 1e-6 * step:
        count = int((end - start) / step) + 1
    t = np.minimum(start + step * np.arange(count), last)
    function, own, unit = _reader(solution, what)
    values = _values(function, solution.at(t), t.size)
    at_event = np.isin(t, solution.t[1:][np.diff(solution.t) == 0.0])
    if at_event.any():
        before = _values(function, solution.at(t[at_event], "left"), int(at_event.sum()))
        values[at_event] = 0.5 * (values[at_event] + before)
    return Signal(
        np.asarray(start + step * np.arange(count), dtype=np.float64),
        values,
        own if name is None else name,
        unit,
    )


def _window(window: str, points: int) -> Vector:
    signal = import_extra("scipy.signal", "analysis")
    try:
        return np.asarray(signal.get_window(window, points), dtype=np.float64)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"window: expected one of scipy.signal.get_window, got {window!r}: {error}"
        ) from None


def _values(function: Callable[[Sample], ArrayLike], sample: Sample, size: int) -> Vector:
    values: Vector = np.array(function(sample), dtype=np.float64)
    if values.shape != (size,):
        raise ValueError(f"what: expected values of shape ({size},), got {values.shape}")
    return values


def _reader(solution: Solution, what: What) -> tuple[Callable[[Sample], ArrayLike], str, str]:
    """Function of a sample, name and unit."""
    if not isinstance(what, str):
        if not callable(what):
            raise ValueError(f"what: expected a name or a function of a sample, got {what!r}")
        return what, getattr(what, "__name__", "").strip("<>"), ""
    labels = solution.labels
    try:
        place = labels.component(what)
    except ValueError:
        known = known_forces(labels)
        if what not in known:
            raise unknown_name("what", what, [*labels.components, *known]) from None
        return known[what].of, known[what].name, "N"

    def of(sample: Sample) -> Vector:
        y = np.concatenate([sample.q, sample.u, sample.x], axis=-1)
        return np.asarray(y[..., place])

    unit = labels.component_units[place]
    return of, what, "" if unit == "-" else unit
