"""Time histories of the contacts of a run, by name: force, gap, state and energy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import nearest, unknown_name
from nsmb.common.html import html_table
from nsmb.common.labels import Labels
from nsmb.common.text import text_table
from nsmb.events import Events
from nsmb.events.enums import ContactState, EventKind
from nsmb.solution.contact_points import ContactPoints, HasContactFrames, points_of
from nsmb.solution.event_order import sums_before
from nsmb.solution.histories import History, HistoryTable, components
from nsmb.solution.motions import motion_of

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["ContactHistory", "Contacts"]

Floats = NDArray[np.float64]
_AXES = ("x", "y", "z")
_SHOWN = 20


class ContactHistory(History):
    """Time history of one contact of a run, see `Contacts`.

    A contact may have several points, for example a polygon on a floor. All values refer to the
    contact as a whole. Vectors are in world axes and act on the second body, ``bodies[1]``. Equal
    and opposite vectors act on the first. Contacts of systems without bodies, joint stops and joint
    friction have no position. The components of their `force` and `impulse` are along the normal
    and the tangents of the contact.
    """

    def __init__(
        self, record: Record, contacts: Contacts, name: str, columns: Sequence[int]
    ) -> None:
        super().__init__(record, name)
        self._contacts = contacts
        self._columns = list(columns)  # empty for Model.collide in a stepped run

    # ---- identity ----------------------------------------------------------------------------

    @property
    def bodies(self) -> tuple[str, str] | None:
        """Names of both bodies; None if the contact has no position."""
        names = self._shapes
        return None if names is None else (_body(names[0]), _body(names[1]))

    @cached_property
    def _shapes(self) -> tuple[str, str] | None:
        if not self._columns:
            return shapes_of(self.name, self._record.labels)
        system = self._record.system
        if not isinstance(system, HasContactFrames):
            return None
        side = system._contact_frames().sides.get(self.name)
        return None if side is None else (side.first, side.second)

    @property
    def points(self) -> ContactPoints:
        """Contact points of this contact, one row per point and sample.

        Raises ValueError for a contact without a position."""
        if self._shapes is None:
            raise ValueError(
                f"contact {self.name!r}: points: must be read from a contact between two bodies, "
                "got a contact without a position. Use lambda_N, gap and state."
            )
        every = self._contacts.points if self._columns else self._contacts._found
        return every.of_contact(self.name)

    @property
    def events(self) -> Events:
        """Events of this contact; empty for a contact found by `Model.collide` in a stepped run."""
        events = self._record.events
        if not self._columns:
            return events[:0]
        return events.at_contact(*(self._record.contact_names[i] for i in self._columns))

    # ---- time histories ----------------------------------------------------------------------

    @cached_property
    def gap(self) -> Floats:
        """Smallest gap of the contact points in m, shape (n,).

        The gap is infinite if no points are close to contact, and NaN for friction without a
        gap."""
        if not self._columns:
            least = np.full(self.t.size, np.inf)
            np.minimum.at(least, self.points.sample, self.points.g_N)
            return least
        gaps: Floats = self._record.g_N[:, self._columns].min(axis=1)
        return np.full_like(gaps, np.nan) if self._is_gapless else gaps

    @cached_property
    def lambda_N(self) -> Floats:
        """Normal force in N, summed over the contact points, shape (n,)."""
        if not self._columns:
            points = self.points
            return self._count(points, points.lambda_N)
        total: Floats = self._record.lambda_N[:, self._columns].sum(axis=1)
        return total

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """Value of `nsmb.ContactState` at the point with the largest normal force, shape (n,)."""
        if not self._columns:
            result = np.full(self.t.size, ContactState.OPEN, dtype=np.int8)
            rows = self._first_rows
            result[self.points.sample[rows]] = self.points.state[rows]
            return result
        states = self._record.contact_state[:, self._columns]
        leading: NDArray[np.int8] = states[np.arange(self.t.size), self._leading]
        return leading

    @property
    def closed(self) -> NDArray[np.bool_]:
        """True at samples with at least one closed point, shape (n,)."""
        if not self._columns:
            open_: NDArray[np.bool_] = self.state == ContactState.OPEN
            return ~open_
        states = self._record.contact_state[:, self._columns]
        closed: NDArray[np.bool_] = (states != ContactState.OPEN).any(axis=1)
        return closed

    @cached_property
    def slip(self) -> Floats:
        """Tangential relative velocity γ_T in m/s, shape (n, 1) or (n, 2).

        It is the velocity at the point with the largest normal force, along its tangents. For a
        contact found by `Model.collide` in a stepped run, it is the velocity of the bodies at the
        sample, or NaN if no points are close to contact."""
        tangents = self._record.labels.tangent_columns
        if not self._columns:
            return self._slip_of_shapes()
        own = np.array([tangents[i] for i in self._columns])  # (points, d)
        slips: Floats = self._record.gamma_T[np.arange(self.t.size)[:, None], own[self._leading]]
        return slips

    def _slip_of_shapes(self) -> Floats:
        points, rows = self.points, self._first_rows
        sample, rate = points.sample[rows], np.zeros((self._first_rows.size, 3))
        for sign, body in zip((-1.0, 1.0), self.bodies or (), strict=True):
            place, _, velocity, turning = (part[sample] for part in motion_of(self._record, body))
            rate += sign * (velocity + np.cross(turning, points.point[rows] - place))
        tangents = points.axes[rows][:, 1:]
        slips = np.full((self.t.size, 2), np.nan)
        slips[sample] = np.einsum("nij,nj->ni", tangents, rate)
        return slips

    @cached_property
    def force(self) -> Floats:
        """Resultant on the second body in N, world axes, shape (n, 3).

        A contact without a position has shape (n, 1 + d): components along its normal and d
        tangents."""
        if self._shapes is None:
            tangents = [k for i in self._columns for k in self._record.labels.tangent_columns[i]]
            return np.column_stack(
                [self.lambda_N, self._sum_of_points(self._record.lambda_T[:, tangents])]
            )
        return self._sum(self.points.force)

    def force_on(self, body: str) -> Floats:
        """Return the resultant on one of the two bodies.

        Parameters
        ----------
        body : str
            Name of the first or the second body.

        Returns
        -------
        (n, 3) ndarray
            N, world axes.

        Raises
        ------
        ValueError
            If `body` is not one of the two, or if the contact has no position.
        """
        first, second = self.bodies or ("", "")
        if body not in (first, second) or not body:
            names = [name for name in (first, second) if name]
            raise unknown_name(f"contact {self.name!r}: body", body, names)
        return self.force if body == second else -self.force

    @cached_property
    def moment(self) -> Floats:
        """Moment about `point` on the second body in N m, shape (n, 3).

        It comes from forces distributed over several points and from the resistance to rolling and
        drilling."""
        points = self.points
        arms = points.point - np.nan_to_num(self.point)[points.sample]
        return self._sum(np.cross(arms, points.force) + points.torque)

    @cached_property
    def point(self) -> Floats:
        """Centre of pressure in m, shape (n, 3); NaN while the contact is open.

        It is the mean of the contact points weighted by their normal forces, or the unweighted mean
        of all closed points if no normal force acts."""
        return self._weighted(self.points.point)

    @cached_property
    def normal(self) -> Floats:
        """Unit normal towards the second body, shape (n, 3); NaN while the contact is open."""
        mean = self._weighted(self.points.normal)
        with np.errstate(invalid="ignore"):
            unit: Floats = mean / np.linalg.norm(mean, axis=1)[:, None]
        return unit

    @cached_property
    def impulse(self) -> Floats:
        """Sum of impact impulses up to each sample in N s, axes of `force`, shape (n, 3).

        Raises ValueError for a stepped run, whose `force` is the mean over a step and includes
        impulses."""
        self._check_impacts("impulse")
        if self._is_stepped:
            raise ValueError(
                f"contact {self.name!r}: impulse: must be read from an event-driven run, got a "
                "stepped run, whose force includes impulses. Use force, or events.Lambda_N for the "
                "impulse of a whole step."
            )
        events, labels = self._record.events, self._record.labels
        total = np.zeros((len(events), self.force.shape[1]))
        struck = np.flatnonzero((events.Lambda_N[:, self._columns] != 0.0).any(axis=1))
        hits = events[struck]
        for i, own in zip(self._columns, self._directions(hits), strict=True):
            tangential = hits.Lambda_T[:, list(labels.tangent_columns[i])]
            parts = np.column_stack([hits.Lambda_N[:, i], tangential])
            total[struck] += np.einsum("ni,nij->nj", parts, own[:, : parts.shape[1]])
        return sums_before(self._record, total)

    def _directions(self, hits: Events) -> list[Floats]:
        """Return n, t_1 and t_2 of each column in the axes of `force`, (events, 3, components)."""
        if self._shapes is None:
            width = self.force.shape[1]
            own = np.broadcast_to(np.eye(3)[:, :width], (len(hits), 3, width))
            return [own] * len(self._columns)
        record, shape = self._record, (len(hits), len(self._record.contact_names), 3)
        n, t = np.full(shape, np.nan), np.full(shape, np.nan)
        piece = record._piece_of(hits.t)
        for k, (_, system) in enumerate(record._pieces):
            assert isinstance(system, HasContactFrames)
            own = hits[piece == k]
            found = system._contact_frames().at(own.t, own.q, own.features)
            n[piece == k], t[piece == k] = found[1:]
        axes = np.nan_to_num(np.stack([n, t, np.cross(n, t)], axis=2))
        return [axes[:, i] for i in self._columns]

    # ---- energy ------------------------------------------------------------------------------

    @property
    def friction_loss(self) -> Floats:
        """Energy dissipated by sliding friction since the start in J, shape (n,)."""
        self._check_impacts("friction_loss")
        loss: Floats = self._record.friction_loss[:, self._columns].sum(axis=1)
        return loss

    @property
    def impact_loss(self) -> Floats:
        """Energy dissipated by impacts of this contact since the start in J, shape (n,).

        The work of moving surfaces is not included. Raises ValueError for a stepped run, which
        records only the total loss of all contacts."""
        self._check_impacts("impact_loss")
        if self._is_stepped:
            raise ValueError(
                f"contact {self.name!r}: impact_loss: must be read from an event-driven run, got "
                "a stepped run, which records only the total loss of all contacts. Use "
                "sol.energy.impact_loss."
            )
        events = self._record.events
        work = (events.work_N + events.work_T)[:, self._columns].sum(axis=1)
        return sums_before(self._record, -work)

    @property
    def dissipation(self) -> Floats:
        """Energy dissipated by friction and impacts of this contact since the start in J, (n,)."""
        return self.friction_loss + self.impact_loss

    # ---- tables ------------------------------------------------------------------------------

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all time histories by name, vectors by component: ``force_x``, ``force_y``, ..."""
        found: dict[str, NDArray[Any]] = {"t": self.t, "gap": self.gap, "state": self.state}
        found["lambda_N"] = self.lambda_N
        names = ["force", *(["moment", "point", "normal"] if self._shapes else [])]
        names.append("slip")
        if self._columns:
            has_impulses = self._record._has_events and not self._is_stepped
            every = ("impulse", "friction_loss", "impact_loss")
            names += every if has_impulses else ("friction_loss",)
        for name in names:
            values = getattr(self, name)
            if values.ndim == 1:
                found[name] = values
                continue
            axes: Sequence[str] = _AXES
            if name == "slip" or not self._shapes:
                axes = ["T1", "T2"] if name == "slip" else ["N", "T1", "T2"]
            found |= components(name, values, axes)
        return found

    def __repr__(self) -> str:
        shapes = self._known_shapes
        between = "" if shapes is None else f" of {shapes[0]} and {shapes[1]}"
        if not self.t.size:
            return f"Contact {self.name!r}{between}: no samples"
        closed = _share_of_time(self.t, self.closed)
        text = (
            f"Contact {self.name!r}{between}: closed for {100.0 * closed:.3g} % of "
            f"{self.t[-1] - self.t[0]:g} s, lambda_N up to {self.lambda_N.max(initial=0.0):.4g} N"
        )
        if not self._record._has_events:
            return text
        return f"{text}, {len(self.events.of_kind('impact'))} impacts"

    @property
    def _known_shapes(self) -> tuple[str, str] | None:
        """Both shapes for display; None if there are none or the system is not available."""
        known = not self._columns or self._record._system_or_none is not None
        return self._shapes if known else None

    # ---- details -----------------------------------------------------------------------------

    @property
    def _is_stepped(self) -> bool:
        """True for a stepped run, which records only the total loss of all impacts."""
        return "impact_loss" in self._record._data

    @property
    def _is_gapless(self) -> bool:
        names = self._record.contact_names
        return all(names[i] in self._record.gapless for i in self._columns)

    @cached_property
    def _leading(self) -> NDArray[np.intp]:
        """Column with the largest normal force, or a closed column if no force acts, (n,)."""
        closed = self._record.contact_state[:, self._columns] != ContactState.OPEN
        pressure = np.where(closed, 1.0, 0.0) + self._record.lambda_N[:, self._columns]
        near = self._record.g_N[:, self._columns]
        # If all columns are open, choose the smallest gap.
        leading: NDArray[np.intp] = np.where(
            closed.any(axis=1), np.argmax(pressure, axis=1), np.argmin(near, axis=1)
        )
        return leading

    @cached_property
    def _first_rows(self) -> NDArray[np.intp]:
        """Row with the largest normal force, for each sample that has rows."""
        points = self.points
        order = np.lexsort((-points.lambda_N, points.state == ContactState.OPEN, points.sample))
        first = np.append(True, np.diff(points.sample[order]) > 0)[: order.size]
        rows: NDArray[np.intp] = order[first]
        return rows

    def _count(self, points: ContactPoints, rows: Floats) -> Floats:
        """Sum the values (rows,) over each sample, (n,)."""
        total: Floats = np.bincount(points.sample, rows, minlength=self.t.size).astype(np.float64)
        return total

    def _sum(self, rows: Floats) -> Floats:
        total = np.zeros((self.t.size, 3))
        np.add.at(total, self.points.sample, rows)
        return total

    def _sum_of_points(self, tangential: Floats) -> Floats:
        """Sum components (n, points d) over the points, (n, d)."""
        total: Floats = tangential.reshape(self.t.size, len(self._columns), -1).sum(axis=1)
        return total

    def _weighted(self, rows: Floats) -> Floats:
        points = self.points
        closed = points.state != ContactState.OPEN
        force = self._count(points, points.lambda_N)
        weight = np.where(force[points.sample] > 0.0, points.lambda_N, closed)
        total = self._count(points, weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = self._sum(weight[:, None] * rows) / total[:, None]
        return result

    def _check_impacts(self, what: str) -> None:
        if not self._columns:
            raise ValueError(
                f"contact {self.name!r}: {what}: must be read from a contact whose impulses are "
                "recorded, got a contact found by Model.collide in a stepped run. Use force, which "
                "includes impulses, and sol.energy, or method=nsmb.EventDriven()."
            )


class Contacts(HistoryTable[ContactHistory]):
    """The contacts of a run by name: ``sol.contacts["pawl"].force``.

    The interface is the same for event-driven and stepped runs, for contours and shapes, and for
    systems without bodies. A contact found by :meth:`nsmb.Model.collide` is named after both
    shapes, ``"ball.solid-ground.floor"``, in either order.

    Examples
    --------
    >>> import nsmb
    >>> sol = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=3.0)
    >>> list(sol.contacts)
    ['floor']
    >>> floor = sol.contacts["floor"]
    >>> weight = float(floor.lambda_N[-1])
    >>> bool(floor.closed[-1]), round(weight, 9) == round(float(floor.force[-1, 0]), 9)
    (True, True)
    >>> round(float(floor.dissipation[-1]), 3) == round(float(sol.energy.impact_loss[-1]), 3)
    True
    """

    _group, _kind = "contacts", "contact"

    def _make(self, name: str) -> ContactHistory:
        columns = self._record.labels.contact_columns.get(name, ())
        return ContactHistory(self._record, self, name, columns)

    def _find(self, name: str) -> str:
        for key in (name, *(f"{second}-{first}" for first, second in _splits(name))):
            if key in self:
                return key
        if shapes_of(name, self._record.labels):
            return name  # two shapes that never touched
        names = list(self)
        if nearest(name, names) or len(names) <= _SHOWN:
            raise KeyError(str(unknown_name("contact", name, names)))
        raise KeyError(
            f"contact {name!r}: must be one of {len(names)} contacts, such as {names[0]!r}. "
            "See list(sol.contacts) for all names."
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = list(self._record.labels.contact_columns)
        if "found_count" in self._record._data:
            data, shapes = self._record._data, self._record.labels.shape_names
            pairs = np.unique(np.stack([data["found_shape_1"], data["found_shape_2"]]), axis=1)
            names += [f"{shapes[i]}-{shapes[k]}" for i, k in pairs.T.tolist()]
        return tuple(names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @cached_property
    def points(self) -> ContactPoints:
        """All contact points between bodies, one row per point and sample.

        Raises ValueError for a system without bodies."""
        return points_of(self._record)

    @cached_property
    def _found(self) -> ContactPoints:
        """Contact points found by `Model.collide` in a stepped run, known without the system."""
        return points_of(self._record, listed=False)

    def force_on(self, shapes: str | Sequence[str]) -> Floats:
        """Return the resultant contact force on bodies, shapes or contours at each sample.

        Parameters
        ----------
        shapes : str or sequence of str
            Names of bodies, or ``"body.shape"``; forces between listed bodies or shapes cancel.

        Returns
        -------
        (n, 3) ndarray
            N, world axes.

        Raises
        ------
        ValueError
            If a name is unknown, or if the system has no bodies.
        """
        return self.points.force_on(shapes)

    def moment_on(self, shapes: str | Sequence[str], about: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Return the moment of the contact forces about a fixed point at each sample.

        Parameters
        ----------
        shapes : str or sequence of str
            As for :meth:`force_on`.
        about : (3,) array_like
            Reference point in m, world axes.

        Returns
        -------
        (n, 3) ndarray
            N m, world axes.

        Raises
        ------
        ValueError
            As for :meth:`force_on`.
        """
        return self.points.moment_on(shapes, about)

    def _cells(self, name: str) -> tuple[str, ...]:
        contact = self[name]
        shapes = " - ".join(map(_body, contact._known_shapes or ()))
        closed = _share_of_time(contact.t, contact.closed)
        impacts = str(np.count_nonzero(contact.events.kind == EventKind.IMPACT))
        return (
            name,
            shapes,
            f"{100.0 * closed:.1f} %",
            f"{contact.lambda_N.max(initial=0.0):.4g}",
            impacts if contact._columns else "",
        )

    def _unit(self, column: str) -> str:
        units = {
            "gap": "m", "state": "", "lambda": "N", "force": "N", "moment": "N m", "point": "m",
            "normal": "", "slip": "m/s", "impulse": "N s", "friction": "J", "impact": "J",
        }  # fmt: skip
        return units[column.partition("_")[0]]

    _HEADER = ("contact", "bodies", "closed", "lambda_N up to / N", "impacts")

    def __repr__(self) -> str:
        if not self._record._has_events or not self:
            return f"Contacts: {len(self)}"
        names = list(self)
        table = text_table(
            self._HEADER,
            lambda k: self._cells(names[k]),
            len(names),
            left=(0, 1),
            max_rows=_SHOWN,
        )
        return f"Contacts: {len(self)}\n{table}"

    def _repr_html_(self) -> str:
        names = list(self)[:_SHOWN] if self._record._has_events else []
        more = f"{len(self) - len(names)} more" if len(self) > len(names) else ""
        return html_table(f"Contacts: {len(self)}", self._HEADER, map(self._cells, names), more)


def shapes_of(name: str, labels: Labels) -> tuple[str, str] | None:
    """Return both shapes of a contact that is named after them, ``"ball.solid-ground.floor"``."""
    known = set(labels.shape_names)
    return next((pair for pair in _splits(name) if set(pair) <= known), None)


def _splits(name: str) -> list[tuple[str, str]]:
    """Return all splits of a name into two shape names, which may themselves contain dashes."""
    parts = name.split("-")
    return [("-".join(parts[:k]), "-".join(parts[k:])) for k in range(1, len(parts))]


def _body(shape: str) -> str:
    return shape.rpartition(".")[0]


def _share_of_time(t: Floats, flags: NDArray[np.bool_]) -> float:
    """Return the fraction of time with True flags; each sample covers the time to the next."""
    length = float(t[-1] - t[0]) if t.size else 0.0
    return float(np.diff(t)[flags[:-1]].sum()) / length if length > 0.0 else float(flags.any())
