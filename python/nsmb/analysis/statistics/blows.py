"""Blows: the intervals of a run in which a one-sided force acts, with their peaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import spread
from nsmb.common.arguments import as_array, as_instance, in_range, known_name
from nsmb.common.html import ShownAsTable
from nsmb.solution.solution import Sample, Solution

__all__ = ["BlowTable", "blows"]

Vector = NDArray[np.float64]

# Only the force limits the search: near a peak, small steps in time do not change it.
_PEAK = {"xatol": 0.0, "xrtol": 0.0, "fatol": 0.0, "frtol": 1e-12}


@dataclass(frozen=True, eq=False)
class BlowTable(ShownAsTable):
    """The blows of one force in the order of time; see :func:`blows`.

    ``pandas.DataFrame(vars(table))`` has one row per blow.
    """

    name: str
    """Name of the contact or force element."""
    begin: Vector
    """Start of each blow in s, shape (n,)."""
    end: Vector
    """End of each blow in s, shape (n,)."""
    t_peak: Vector
    """Time of the largest force in s, shape (n,)."""
    peak: Vector
    """Largest force in N, shape (n,)."""

    def __len__(self) -> int:
        return int(self.begin.size)

    @property
    def duration(self) -> Vector:
        """Duration T_m of each blow in s (Fig. 11.11), shape (n,)."""
        return np.asarray(self.end - self.begin)

    def __repr__(self) -> str:
        lines = [f"BlowTable of {self.name}: {len(self)} blows, t from {spread(self.begin)} s"]
        if len(self):
            lines.append(f"  peak {spread(self.peak)} N")
            lines.append(f"  duration {spread(self.duration)} s")
        return "\n".join(lines)


def blows(
    solution: Solution,
    name: str,
    *,
    nominal: float = 0.0,
    t_start: float | None = None,
    refine: bool = True,
) -> BlowTable:
    """Return the blows of a contact or force element in a run, with their peaks and durations.

    A blow lasts from the event that closes the contact, or switches the element on, to the event
    that ends it. With a nominal load, it lasts while the force exceeds that load. Blows that are
    cut off by the start or the end of the run are omitted. Impacts without deformation are not
    blows but events: see ``solution.events``.

    Parameters
    ----------
    solution : Solution
    name : str
        Name of a contact or of a force element with switching. The forces of all points of a
        contact are added.
    nominal : float
        Load above which a blow lasts, N. Use it for preloaded contacts, which never open.
    t_start : float, optional
        Omit blows that begin before this time in s, as a transient. Default: none.
    refine : bool
        Locate peaks, and passages of a nominal load, between the samples. This needs dense output
        and the system. If False, the peak is the largest sample, with an error of second order in
        the distance of the samples.

    Returns
    -------
    BlowTable

    Raises
    ------
    ValueError
        If `name` is unknown, if `t_start` is outside the run, or if the run lacks what `refine`
        needs.

    References
    ----------
    Pfeiffer & Glocker, section 11.1.2. Use `scipy.stats` to fit its distributions of loads,
    durations and intervals.

    Examples
    --------
    A gear with backlash that hammers on both flanks:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> run = nsmb.simulate(nsmb.systems.ship_turning_gear(), t_end=60.0)
    >>> upper, lower = (analysis.blows(run, name) for name in ("upper", "lower"))
    >>> len(upper), len(lower), round(float(max(upper.peak.max(), lower.peak.max())), 3)
    (5, 3, 0.734)
    """
    from scipy import ndimage

    solution = as_instance("solution", solution, Solution)
    force = _Force(solution, name)
    load = float(as_array("nominal", nominal, ()))
    if t_start is not None:
        in_range("t_start", t_start, *solution.t_span)
    t, values = solution.t, force.of(solution)
    acts = force.acts() if load == 0.0 else values > load
    parts = [part for (part,) in ndimage.find_objects(ndimage.label(acts)[0])]
    # The first and the last sample of the run neither begin nor end a blow.
    parts = [part for part in parts if part.start > 0 and part.stop < t.size]
    first = np.array([part.start for part in parts], dtype=np.intp)
    last = np.array([part.stop - 1 for part in parts], dtype=np.intp)
    top = np.array([part.start + values[part].argmax() for part in parts], dtype=np.intp)
    begin, ending = t[first], t[last]
    if load != 0.0:
        begin = force.passages(load, first - 1, refine)
        ending = force.passages(load, last, refine)
    counts = ending > begin
    if t_start is not None:
        counts &= begin >= t_start
    begin, ending, top = begin[counts], ending[counts], top[counts]
    t_peak, peak = t[top], values[top]
    if refine:
        inside = (t_peak > begin) & (t_peak < ending)
        t_peak[inside], peak[inside] = force.peaks(top[inside])
    return BlowTable(name, begin, ending, t_peak, peak)


class _Force:
    """The force of a contact or force element, at the samples and between them."""

    def __init__(self, solution: Solution, name: str) -> None:
        labels = solution.labels
        contacts = {
            contact: list(columns)
            for contact, columns in labels.contact_columns.items()
            if not labels.gapless.issuperset(labels.contact_names[i] for i in columns)
        }
        known_name("name", name, [*contacts, *labels.element_names])
        self.solution = solution
        if name in contacts:
            self.table, self.state, self.columns = "lambda_N", "contact_state", contacts[name]
        else:
            self.table, self.state = "element_force", "element_mode"
            self.columns = [labels.element_names.index(name)]

    def of(self, source: Solution | Sample) -> Vector:
        return np.asarray(getattr(source, self.table)[..., self.columns].sum(axis=-1))

    def acts(self) -> NDArray[np.bool_]:
        """Return True at the samples at which the contact is closed or the element acts."""
        active: NDArray[np.bool_] = getattr(self.solution, self.state)[:, self.columns] > 0
        return np.asarray(active.any(axis=1))

    def passages(self, load: float, row: NDArray[np.intp], refine: bool) -> Vector:
        """Return the times at which the force passes a load, between samples `row` and `row` + 1.

        A force that jumps over the load in an event has two samples at the same time.
        """
        from scipy.optimize import elementwise

        t, f = self.solution.t, self.of(self.solution) - load
        left, right = t[row], t[row + 1]
        if not refine:
            return np.asarray(left - f[row] * (right - left) / (f[row + 1] - f[row]))

        def distance(x: Vector, *ends: Any) -> Vector:
            t_left, t_right, f_left, f_right = ends
            # The samples are on the correct side of an event.
            between = self.of(self.solution.at(x)) - load
            return np.select([x == t_left, x == t_right], [f_left, f_right], between)

        ends = (left, right, f[row], f[row + 1])
        found = elementwise.find_root(distance, (left, right), args=ends)
        return np.where(right > left, found.x, left)

    def peaks(self, row: NDArray[np.intp]) -> tuple[Vector, Vector]:
        """Return time and force of the peaks next to samples that are local maxima."""
        from scipy.optimize import elementwise

        t = self.solution.t
        before = t[np.searchsorted(t, t[row], "left") - 1]
        after = t[np.searchsorted(t, t[row], "right")]
        with np.errstate(all="ignore"):  # for brackets that a jump of the force makes invalid
            found = elementwise.find_minimum(
                lambda x: -self.of(self.solution.at(x)), (before, t[row], after), tolerances=_PEAK
            )
        sampled = self.of(self.solution)[row]
        # If the force jumps down at the sample, the sample is the peak.
        higher = found.success & (-found.f_x > sampled)
        return np.where(higher, found.x, t[row]), np.where(higher, -found.f_x, sampled)
