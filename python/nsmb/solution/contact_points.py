"""The contact points of a run, sample by sample, in world axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, unknown_name, whole
from nsmb.common.extras import import_extra
from nsmb.common.labels import Labels
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
class HasBodies(Protocol):
    """A system whose contacts have a position in space."""

    def _contact_frames(self) -> Frames: ...


class ContactPoints:
    """The contact points of a run: one row per point and sample, see `Contacts.points`.

    A row of an event-driven run belongs to its sample. A row of shapes that touch anywhere in a
    stepped run belongs to the middle of the step that ends at the sample, and has the mean force of
    that step. The start of such a run has no rows. All arrays are read-only.

    Attributes
    ----------
    t : (m,) ndarray
        s, times of the samples of the run.
    sample : (n,) ndarray
        Sample of each row, in ascending order: an index into `t`, `Solution.q` and so on.
    shape_names : tuple of str
        Shapes and contours, ``"body.shape"``, in the order of their numbers.
    shape_1, shape_2 : (n,) ndarray of int32
        Numbers of the two shapes.
    contact_names : tuple of str
        Names of the contacts, in the order of their numbers.
    contact : (n,) ndarray of int32
        Number of the contact of each row.
    identity : (n,) ndarray of uint64
        The same number from sample to sample as long as the same features of the same shapes touch.
    g_N : (n,) ndarray
        m, gaps; negative: penetrations.
    point : (n, 3) ndarray
        m, position of the contact point.
    normal, tangent : (n, 3) ndarray
        n, from shape 1 to shape 2, and t_1; t_2 = n × t_1.
    lambda_N : (n,) ndarray
        N, normal forces.
    lambda_T : (n, 2) ndarray
        N, friction along t_1 and t_2; in a plane the second one is zero.
    moment : (n, 3) ndarray
        N m, resistance to rolling about t_1 and t_2, and to drilling about n.
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
        """Names of both shapes, row by row."""
        names = self.shape_names
        pairs = zip(self.shape_1.tolist(), self.shape_2.tolist(), strict=True)
        return [(names[i], names[k]) for i, k in pairs]

    @property
    def axes(self) -> Floats:
        """(n, 3, 3): n, t_1 and t_2 as rows, as `MultibodySystem.find_contacts` has them."""
        across = np.cross(self.normal, self.tangent)
        return np.stack([self.normal, self.tangent, across], axis=1)

    @cached_property
    def force(self) -> Floats:
        """(n, 3) N, inertial: what acts on shape 2; the opposite acts on shape 1."""
        own = np.column_stack([self.lambda_N, self.lambda_T])
        return self._seen(np.einsum("ni,nij->nj", own, self.axes))

    @cached_property
    def torque(self) -> Floats:
        """(n, 3) N m, inertial: resistance to rolling and drilling on shape 2."""
        own = self.moment[:, [2, 0, 1]]
        return self._seen(np.einsum("ni,nij->nj", own, self.axes))

    @staticmethod
    def _seen(table: Floats) -> Floats:
        table.setflags(write=False)
        return table

    def at(self, k: int) -> ContactPoints:
        """The rows of sample `k`; negative: from the end. `sample` and `t` stay those of the run.

        Raises
        ------
        ValueError
            Where there is no such sample.
        """
        samples = self.t.size
        whole("k", k, -samples)
        if k >= samples:
            raise ValueError(f"k: expected a sample below {samples}, got {k}")
        place = k % samples
        first, end = np.searchsorted(self.sample, [place, place + 1]).tolist()
        return self._rows(slice(first, end))

    def of(self, shapes: str | Sequence[str]) -> ContactPoints:
        """The rows in which one of these takes part.

        Parameters
        ----------
        shapes : str or sequence of str
            Names of shapes, ``"body.shape"``, or of bodies for all their shapes.
        """
        is_one = self._members(shapes)
        return self._rows(is_one[self.shape_1] | is_one[self.shape_2])

    def of_contact(self, name: str) -> ContactPoints:
        """The rows of one contact; none of two shapes that have not touched."""
        known = name in self.contact_names
        number = self.contact_names.index(name) if known else -1
        return self._rows(self.contact == number)

    def force_on(self, shapes: str | Sequence[str]) -> Floats:
        """Resultant of the contact forces on shapes or bodies, sample by sample.

        Parameters
        ----------
        shapes : str or sequence of str
            As for :meth:`of`; forces between two of several cancel.

        Returns
        -------
        (m, 3) ndarray
            N, inertial.

        Raises
        ------
        ValueError
            For a name that is neither a shape nor a body with shapes.
        """
        return self._sums(self.force, self._members(shapes))

    def moment_on(self, shapes: str | Sequence[str], about: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Their moment about a fixed point, sample by sample.

        Parameters
        ----------
        shapes : str or sequence of str
            As for :meth:`of`.
        about : (3,) array_like
            m, inertial.

        Returns
        -------
        (m, 3) ndarray
            N m, inertial; resistance to rolling and drilling included.
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
        """One row per contact: ``sample``, ``t``, shapes by name, ``g_N``, forces, ``x``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
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
        """A Dataset over ``contact``, one entry for each row, and ``axis``.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` brings it.
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
            f"{most} at most in one of {self.t.size} samples"
        )


def points_of(record: Record, listed: bool = True) -> ContactPoints:
    """The contact points of a run; a ValueError where its system has no bodies.

    `listed`: also those of contacts with columns, for which the system must be known."""
    tables: list[tuple[NDArray[np.int64], dict[str, NDArray[Any]]]] = []
    shapes: list[str] = list(record.labels.shape_names)
    names: list[str] = []
    if "found_count" in record._data:
        tables.append(_found(record, names))
    if listed and record.labels.contact_columns:
        system = record.system
        if not isinstance(system, HasBodies):
            raise ValueError(
                f"contacts.points: must be asked of a run of bodies, got one of "
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
    """Those of shapes that touch anywhere, as the run has recorded them."""
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
    """Those of contacts with columns, whose places are found anew at each sample."""
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
    point, normal, tangent = frames.at(record.t, record.q, record.features)
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


def _blank(rows: int) -> dict[str, NDArray[Any]]:
    """Columns of so many rows without a force."""
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
    """What a file says of them fits together; a ValueError where it does not."""
    if "found_count" not in data:
        return
    counts, rows = data["found_count"], data["found_identity"].size
    if counts.dtype.kind not in "iu" or (counts < 0).any() or int(counts.sum()) != rows:
        raise ValueError(f"'found_count': expected numbers whose sum is {rows}")
    for name in ("found_shape_1", "found_shape_2"):
        values = data[name]
        outside = (values < 0) | (values >= len(labels.shape_names))
        if values.dtype.kind not in "iu" or outside.any():
            raise ValueError(f"{name!r}: expected places in 'shape_names'")
    if not np.isin(data["found_state"], [int(state) for state in ContactState]).all():
        raise ValueError("'found_state': expected values of nsmb.ContactState")
