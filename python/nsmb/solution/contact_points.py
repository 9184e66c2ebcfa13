"""Contact points of a run at each sample, in world axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, unknown_name, whole
from nsmb.common.extras import import_extra
from nsmb.common.labels import Labels, resistance_of
from nsmb.events.enums import ContactState
from nsmb.solution.core_tables import TABLE_OF

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from nsmb.solution.record import Record

__all__ = ["COLUMNS", "ContactPoints", "check", "points_of"]

Floats = NDArray[np.float64]

COLUMNS = tuple(name for name, table in TABLE_OF.items() if table == "found")
_DIRECTIONS = ("x", "y", "z")


class Side(Protocol):
    """The two bodies of a contact."""

    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...


class Frames(Protocol):
    """Contact points and directions of named contacts of bodies."""

    @property
    def sides(self) -> Mapping[str, Side]: ...
    def at(self, t: Floats, q: Floats, features: NDArray[np.int32]) -> tuple[Floats, ...]: ...


@runtime_checkable
class HasContactFrames(Protocol):
    """A system whose contacts have a position in space."""

    def _contact_frames(self) -> Frames: ...


class ContactPoints:
    """The contact points of a run: one row per point and sample, see `Contacts.points`.

    In an event-driven run, a row describes the instant of its sample. In a stepped run, contacts
    found by `Model.collide` are different: a row describes the middle of the step that ends at the
    sample, and has the mean force over that step. The start of such a run has no rows. All arrays
    are read-only.

    Attributes
    ----------
    t : (m,) ndarray
        Times of the samples of the run, s.
    sample : (n,) ndarray
        Sample index of each row, in ascending order, for use with `t`, `Solution.q` and so on.
    shape_names : tuple of str
        Names of the shapes and contours, ``"body.shape"``, in the order of their indices.
    shape_1, shape_2 : (n,) ndarray of int32
        Indices of the two shapes.
    contact_names : tuple of str
        Names of the contacts, in the order of their indices.
    contact : (n,) ndarray of int32
        Contact index of each row.
    identity : (n,) ndarray of uint64
        Identifier that stays the same while the same features of the same shapes touch.
    g_N : (n,) ndarray
        Gaps, m; negative values are penetrations.
    point : (n, 3) ndarray
        Positions of the contact points, m.
    normal, tangent : (n, 3) ndarray
        Unit normal n from shape 1 to shape 2, and unit tangent t_1; t_2 = n × t_1.
    lambda_N : (n,) ndarray
        Normal forces, N.
    lambda_T : (n, 2) ndarray
        Friction forces along t_1 and t_2, N; the second is zero in planar models.
    moment : (n, 3) ndarray
        Moments of resistance to rolling about t_1 and t_2 and to drilling about n, N m.
    state : (n,) ndarray of int8
        Values of `nsmb.ContactState`.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import geometry, joints
    >>> m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    >>> ball = m.add_solid("ball", geometry.Sphere(0.1), 1000.0)
    >>> _ = m.add_joint("free", joints.Free(), m.ground, ball)
    >>> _ = m.ground.shape("floor", geometry.HalfSpace())
    >>> _ = m.collide(nsmb.ContactLaw(mu=0.3))
    >>> system = m.build(initial={"free": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0)})
    >>> points = nsmb.simulate(system, 0.1, method=nsmb.Midpoint(1e-3)).contacts.points
    >>> points.shapes[-1], round(float(points.lambda_N[-1]), 3)
    (('ground.floor', 'ball.solid'), 41.092)
    >>> points.force_on("ball")[-1].round(3) + 0.0
    array([ 0.   ,  0.   , 41.092])
    """

    def __init__(
        self,
        t: Floats,
        sample: NDArray[np.int64],
        columns: Mapping[str, NDArray[Any]],
        shape_names: Sequence[str],
        contact_names: Sequence[str],
    ) -> None:
        self.t = t
        self.sample = sample
        self.sample.setflags(write=False)
        self.shape_names = tuple(shape_names)
        self.contact_names = tuple(contact_names)
        self._columns = columns
        self.contact: NDArray[np.int32] = columns["contact"]
        self.identity: NDArray[np.uint64] = columns["found_identity"]
        self.shape_1: NDArray[np.int32] = columns["found_shape_1"]
        self.shape_2: NDArray[np.int32] = columns["found_shape_2"]
        self.g_N: Floats = columns["found_g_N"]
        self.point: Floats = columns["found_point"]
        self.normal: Floats = columns["found_normal"]
        self.tangent: Floats = columns["found_tangent"]
        self.lambda_N: Floats = columns["found_force"][:, 0]
        self.lambda_T: Floats = columns["found_force"][:, 1:]
        self.moment: Floats = columns["found_moment"]
        self.state: NDArray[np.int8] = columns["found_state"]

    def __len__(self) -> int:
        return int(self.sample.size)

    @property
    def shapes(self) -> list[tuple[str, str]]:
        """Names of both shapes for each row."""
        names = self.shape_names
        pairs = zip(self.shape_1.tolist(), self.shape_2.tolist(), strict=True)
        return [(names[i], names[k]) for i, k in pairs]

    @property
    def axes(self) -> Floats:
        """Directions n, t_1 and t_2 as rows, as in `MultibodySystem.find_contacts`, (n, 3, 3)."""
        across = np.cross(self.normal, self.tangent)
        return np.stack([self.normal, self.tangent, across], axis=1)

    @cached_property
    def force(self) -> Floats:
        """Force on shape 2 in N, world axes, shape (n, 3); the opposite force acts on shape 1."""
        own = np.column_stack([self.lambda_N, self.lambda_T])
        return self._seen(np.einsum("ni,nij->nj", own, self.axes))

    @cached_property
    def torque(self) -> Floats:
        """Moment of rolling and drilling resistance on shape 2 in N m, world axes, shape (n, 3)."""
        own = self.moment[:, [2, 0, 1]]
        return self._seen(np.einsum("ni,nij->nj", own, self.axes))

    @staticmethod
    def _seen(table: Floats) -> Floats:
        table.setflags(write=False)
        return table

    def at(self, k: int) -> ContactPoints:
        """Return the rows of sample `k`, counted from the end if negative.

        `sample` and `t` still refer to the whole run.

        Raises
        ------
        ValueError
            If there is no such sample.
        """
        samples = self.t.size
        whole("k", k, -samples)
        if k >= samples:
            raise ValueError(f"`k`: must be a sample index below {samples}, got {k}")
        place = k % samples
        first, end = np.searchsorted(self.sample, [place, place + 1]).tolist()
        return self._rows(slice(first, end))

    def of(self, shapes: str | Sequence[str]) -> ContactPoints:
        """Return the rows that involve any of the given shapes or bodies.

        Parameters
        ----------
        shapes : str or sequence of str
            Names of shapes, ``"body.shape"``, or names of bodies for all their shapes.
        """
        is_one = self._members(shapes)
        return self._rows(is_one[self.shape_1] | is_one[self.shape_2])

    def of_contact(self, name: str) -> ContactPoints:
        """Return the rows of one contact; empty for two shapes that never touched."""
        known = name in self.contact_names
        number = self.contact_names.index(name) if known else -1
        return self._rows(self.contact == number)

    def force_on(self, shapes: str | Sequence[str]) -> Floats:
        """Return the resultant contact force on shapes or bodies at each sample.

        Parameters
        ----------
        shapes : str or sequence of str
            As for :meth:`of`; forces between listed shapes or bodies cancel.

        Returns
        -------
        (m, 3) ndarray
            N, world axes.

        Raises
        ------
        ValueError
            If a name is neither a shape nor a body with shapes.
        """
        return self._sums(self.force, self._members(shapes))

    def moment_on(self, shapes: str | Sequence[str], about: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Return the moment of the contact forces about a fixed point at each sample.

        Parameters
        ----------
        shapes : str or sequence of str
            As for :meth:`of`.
        about : (3,) array_like
            Reference point in m, world axes.

        Returns
        -------
        (m, 3) ndarray
            N m, world axes; includes the resistance to rolling and drilling.
        """
        arm = self.point - as_array("about", about, (3,))
        return self._sums(np.cross(arm, self.force) + self.torque, self._members(shapes))

    def _sums(self, rows: Floats, is_one: NDArray[np.bool_]) -> Floats:
        sums = np.zeros((self.t.size, 3))
        sign = is_one[self.shape_2].astype(np.float64) - is_one[self.shape_1]
        np.add.at(sums, self.sample, sign[:, None] * rows)
        return sums

    def _members(self, shapes: str | Sequence[str]) -> NDArray[np.bool_]:
        wanted = [shapes] if isinstance(shapes, str) else list(shapes)
        bodies = [name.rpartition(".")[0] for name in self.shape_names]
        for name in wanted:
            if name not in self.shape_names and name not in bodies:
                raise unknown_name("shapes", name, [*self.shape_names, *dict.fromkeys(bodies)])
        pairs = zip(self.shape_names, bodies, strict=True)
        return np.array([name in wanted or body in wanted for name, body in pairs], dtype=bool)

    def _rows(self, rows: slice | NDArray[np.bool_]) -> ContactPoints:
        chosen = {}
        for name, column in self._columns.items():
            chosen[name] = column[rows]
            chosen[name].setflags(write=False)
        return ContactPoints(
            self.t, self.sample[rows], chosen, self.shape_names, self.contact_names
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per contact point: ``sample``, ``t``, ``g_N``, ``x``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        pandas = import_extra("pandas", "data")
        names = np.array(self.shape_names)
        columns: dict[str, NDArray[Any]] = {"sample": self.sample, "t": self.t[self.sample]}
        columns["contact"] = pandas.Categorical.from_codes(self.contact, self.contact_names)
        for name, numbers in (("shape_1", self.shape_1), ("shape_2", self.shape_2)):
            columns[name] = pandas.Categorical.from_codes(numbers, names)
        columns |= {"identity": self.identity, "g_N": self.g_N, "lambda_N": self.lambda_N}
        columns |= {"lambda_T1": self.lambda_T[:, 0], "lambda_T2": self.lambda_T[:, 1]}
        columns |= {"moment_R1": self.moment[:, 0], "moment_R2": self.moment[:, 1]}
        columns |= {"moment_D": self.moment[:, 2]}
        for name, table in (("", self.point), ("n_", self.normal), ("force_", self.force)):
            columns |= {name + axis: table[:, i] for i, axis in enumerate(_DIRECTIONS)}
        columns["state"] = self.state
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Return a Dataset over ``contact``, with one entry per row, and ``axis``.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` installs it.
        """
        xarray = import_extra("xarray", "data")
        names = np.array(self.shape_names)
        variables: dict[str, Any] = {
            "g_N": ("contact", self.g_N, {"units": "m"}),
            "lambda_N": ("contact", self.lambda_N, {"units": "N"}),
            "lambda_T": (("contact", "direction"), self.lambda_T, {"units": "N"}),
            "moment": (("contact", "about"), self.moment, {"units": "N m"}),
            "point": (("contact", "axis"), self.point, {"units": "m"}),
            "normal": (("contact", "axis"), self.normal),
            "force": (("contact", "axis"), self.force, {"units": "N", "long_name": "on shape 2"}),
            "state": ("contact", self.state, _flags()),
        }
        coords: dict[str, Any] = {
            "sample": ("contact", self.sample),
            "time": ("contact", self.t[self.sample], {"units": "s"}),
            "name": ("contact", np.array([*self.contact_names, ""])[self.contact]),
            "shape_1": ("contact", names[self.shape_1]),
            "shape_2": ("contact", names[self.shape_2]),
            "identity": ("contact", self.identity),
            "direction": ["t_1", "t_2"],
            "about": ["t_1", "t_2", "n"],
            "axis": list(_DIRECTIONS),
        }
        dataset: xr.Dataset = xarray.Dataset(variables, coords)
        return dataset

    def __repr__(self) -> str:
        most = np.bincount(self.sample).max(initial=0)
        return (
            f"ContactPoints of {len(self.shape_names)} shapes: {len(self)} rows, "
            f"at most {most} in one of {self.t.size} samples"
        )


def points_of(record: Record, listed: bool = True) -> ContactPoints:
    """Return the contact points of a run; raise ValueError if its system has no bodies.

    With `listed`, include the points of contacts with columns, which requires the system."""
    tables: list[tuple[NDArray[np.int64], dict[str, NDArray[Any]]]] = []
    shapes: list[str] = list(record.labels.shape_names)
    names: list[str] = []
    if "found_count" in record._data:
        tables.append(_found(record, names))
    if listed and record.labels.contact_columns:
        system = record.system
        if not isinstance(system, HasContactFrames):
            raise ValueError(
                f"contacts.points: must be read from a run of a system with bodies, got a run of "
                f"{record.system_name!r}, whose contacts have no position. Use "
                "sol.contacts[name].lambda_N, gap and state."
            )
        tables.append(_listed(record, system._contact_frames(), shapes, names))
    if not tables:
        tables.append((np.zeros(0, dtype=np.int64), _blank(0)))
    sample = np.concatenate([rows for rows, _ in tables])
    order = np.argsort(sample, kind="stable")
    columns = {
        name: np.concatenate([table[name] for _, table in tables])[order] for name in tables[0][1]
    }
    for column in columns.values():
        column.setflags(write=False)
    return ContactPoints(record.t, sample[order], columns, shapes, names)


def _found(record: Record, names: list[str]) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Return the recorded points of contacts found by `Model.collide`."""
    columns = {name: record._data[name] for name in COLUMNS}
    shapes = record.labels.shape_names
    pair = columns["found_shape_1"].astype(np.int64) * len(shapes) + columns["found_shape_2"]
    pairs, number = np.unique(pair, return_inverse=True)
    columns["contact"] = (len(names) + number).astype(np.int32).reshape(-1)
    names += [f"{shapes[k // len(shapes)]}-{shapes[k % len(shapes)]}" for k in pairs.tolist()]
    return np.repeat(np.arange(record.t.size), record._data["found_count"]), columns


def _listed(
    record: Record, frames: Frames, shapes: list[str], names: list[str]
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Return the points of contacts with columns, located again at each sample."""
    labels = record.labels
    number, first, second = (np.full(len(labels.contact_names), -1) for _ in range(3))
    for name, columns in labels.contact_columns.items():
        if name not in frames.sides:
            continue
        side, own = frames.sides[name], list(columns)
        number[own] = len(names)
        names.append(name)
        for places, shape in ((first, side.first), (second, side.second)):
            if shape not in shapes:
                shapes.append(shape)
            places[own] = shapes.index(shape)
    found = []
    for span, system in record._pieces:
        assert isinstance(system, HasContactFrames)
        at = system._contact_frames().at
        found.append(at(record.t[span], record.q[span], record.features[span]))
    point, normal, tangent = (np.concatenate(parts) for parts in zip(*found, strict=True))
    sample, column = np.nonzero(~np.isnan(point).any(axis=2) & (number >= 0))
    table = _blank(sample.size)
    table["contact"] = number[column].astype(np.int32)
    table["found_shape_1"] = first[column].astype(np.int32)
    table["found_shape_2"] = second[column].astype(np.int32)
    table["found_g_N"] = record.g_N[sample, column]
    table["found_state"] = record.contact_state[sample, column]
    table["found_force"][:, 0] = record.lambda_N[sample, column]
    for k in range(2):
        own = [tangents[k] if k < len(tangents) else -1 for tangents in labels.tangent_columns]
        has = np.array(own)[column] >= 0
        table["found_force"][has, 1 + k] = record.lambda_T[sample[has], np.array(own)[column[has]]]
    _fill_moments(record, sample, column, table["found_moment"])
    for name, values in (("point", point), ("normal", normal), ("tangent", tangent)):
        table[f"found_{name}"] = values[sample, column]
    table["found_identity"] = column.astype(np.uint64)
    if record.features.shape[1]:
        feature = record.features[sample, column].astype(np.uint64) & np.uint64(0xFFFFFF)
        table["found_identity"] = (
            (number[column].astype(np.uint64) << np.uint64(48))
            + (feature[:, 0] << np.uint64(24))
            + feature[:, 1]
        )
    return sample.astype(np.int64), table


def _fill_moments(
    record: Record, sample: NDArray[np.int64], column: NDArray[np.int64], moment: Floats
) -> None:
    """Write the moments about t_1, t_2 and n of named contacts.

    In a plane, there is one moment about its z axis, which is -t_2 (4.22)."""
    labels = record.labels
    place = {name: k for k, name in enumerate(labels.contact_names)}
    for i, contact in enumerate(labels.contact_names):
        rows = np.flatnonzero(column == i)
        for kind, about in (("rolling", (0, 1)), ("drilling", (2,))):
            own = place.get(resistance_of(contact, kind), -1)
            if own < 0 or not rows.size:
                continue
            tangents = list(labels.tangent_columns[own])
            in_plane = kind == "rolling" and len(tangents) == 1
            own_moment = record.lambda_T[sample[rows][:, None], tangents]
            moment[rows[:, None], about[-len(tangents) :]] = -own_moment if in_plane else own_moment


def _blank(rows: int) -> dict[str, NDArray[Any]]:
    """Return columns with `rows` rows and zero forces."""
    kinds = {
        "found_identity": np.uint64, "found_shape_1": np.int32, "found_shape_2": np.int32,
        "contact": np.int32, "found_state": np.int8, "found_g_N": np.float64,
        "found_law": np.int32,
    }  # fmt: skip
    return {
        name: np.zeros(rows, kinds[name]) if name in kinds else np.zeros((rows, 3))
        for name in (*COLUMNS, "contact")
    }


def _flags() -> dict[str, Any]:
    return {
        "flag_values": np.array([int(state) for state in ContactState], dtype=np.int8),
        "flag_meanings": " ".join(state.name.lower() for state in ContactState),
    }


def check(data: Mapping[str, NDArray[Any]], labels: Labels) -> None:
    """Check that the contact points of a file are consistent; raise ValueError otherwise."""
    if "found_count" not in data:
        return
    counts, rows = data["found_count"], data["found_identity"].size
    if counts.dtype.kind not in "iu" or (counts < 0).any() or int(counts.sum()) != rows:
        raise ValueError(f"'found_count': must be counts that add up to {rows}")
    for name in ("found_shape_1", "found_shape_2"):
        values = data[name]
        outside = (values < 0) | (values >= len(labels.shape_names))
        if values.dtype.kind not in "iu" or outside.any():
            raise ValueError(f"{name!r}: must be indices into 'shape_names'")
    if not np.isin(data["found_state"], [int(state) for state in ContactState]).all():
        raise ValueError("'found_state': must be values of nsmb.ContactState")
