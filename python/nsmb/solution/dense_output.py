"""The motion between samples, from the polynomials of the integration steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DenseOutput", "is_divided", "stretches"]

Floats = NDArray[np.float64]
Data = Mapping[str, NDArray[Any]]
Places = NDArray[np.intp] | slice

_ALL = slice(None)


def is_divided(data: Data) -> bool:
    """Return True if parts of the system have separate steps."""
    return "step_part" in data and data["step_part"].size > 0


def stretches(data: Data) -> tuple[Floats, Floats]:
    """Return starts and ends of the steps; for a divided system, of ranges within all its steps."""
    start, end = data["step_start"], data["step_end"]
    if not is_divided(data):
        return start, end
    t = data["t"]
    borders = np.unique(np.clip(np.concatenate([start, end]), t[0], t[-1]))
    return borders[:-1], borders[1:]


class DenseOutput:
    """The state y and the contact states at any time of a run."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._tracks = [_Track(data, _ALL, _ALL, _ALL)]
        if not is_divided(data):
            return
        part = data["step_part"]
        order = np.argsort(part, kind="stable")
        count = int(data["part_of_y"].max()) + 1
        borders = np.searchsorted(part[order], np.arange(count + 1))
        self._tracks = [
            _Track(
                data,
                order[borders[k] : borders[k + 1]],
                np.flatnonzero(data["part_of_y"] == k),
                np.flatnonzero(data["part_of_contact"] == k),
            )
            for k in range(count)
        ]

    def at(self, times: Floats, side: str) -> tuple[Floats, NDArray[np.int8]]:
        """Return y (m, ny) and contact states (m, nc) at times (m,) inside the run."""
        data = self._data
        if data["step_start"].size == 0:  # a run of zero length
            sample = np.full(times.shape, 0 if side == "left" else -1)
            return data["y"][sample], data["contact_state"][sample]
        if len(self._tracks) == 1:
            return self._tracks[0].at(times, side)
        y = np.zeros((times.size, data["y"].shape[1]))
        state = np.zeros((times.size, data["contact_state"].shape[1]), dtype=np.int8)
        for track in self._tracks:
            y[:, track.places], state[:, track.contacts] = track.at(times, side)
        return y, state


class _Track:
    """The steps of one part, with its indices in y and its contacts."""

    def __init__(self, data: Data, steps: Places, places: Places, contacts: Places) -> None:
        self._data = data
        self._steps = steps
        self._start, self._end = data["step_start"][steps], data["step_end"][steps]
        self.places, self.contacts = places, contacts

    def at(self, times: Floats, side: str) -> tuple[Floats, NDArray[np.int8]]:
        data, start, end = self._data, self._start, self._end
        if side == "right":  # the step that starts there; after the last step, the last sample
            step = np.searchsorted(start, times, side="right") - 1
            at_border = (times >= end[-1]) & (times <= data["t"][-1])
            border = -1
        else:  # the step that ends there; before the first step, the first sample
            step = np.searchsorted(end, times, side="left")
            at_border = times <= max(start[0], data["t"][0])
            border = 0
        step = np.clip(step, 0, start.size - 1)
        s = ((times - start[step]) / (end[step] - start[step]))[:, None]

        sample = data["y"][border, self.places]
        rows = sample.size
        y = np.zeros((times.size, rows))
        row = step if isinstance(self._steps, slice) else self._steps[step]
        offset, degree = data["step_offset"][row], data["step_degree"][row]
        coefficients = data["coefficients"]
        top = int(degree.max(initial=-1))
        if times.size == 1 and top >= 0:  # the same arithmetic without indices
            series = coefficients[offset[0] : offset[0] + (top + 1) * rows].reshape(-1, rows)
            y[0] = _horner(s[0, 0], series)
            top = -1
        for power in range(top, -1, -1):  # Horner
            within = degree >= power
            index = (offset[within] + power * rows)[:, None] + np.arange(rows)
            y[within] = y[within] * s[within] + coefficients[index]
        state = data["step_state"][row][:, self.contacts]
        y[at_border] = sample
        state[at_border] = data["contact_state"][border, self.contacts]
        return y, state


def _horner(s: float, series: Floats) -> Floats:
    """Return Σ c_k sᵏ for rows c_k."""
    value: Floats = series[-1] + 0.0 * s
    for row in series[-2::-1]:
        value = row + value * s
    return value
