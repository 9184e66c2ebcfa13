"""The energy of a run by part: supplied, dissipated and stored by contacts, forces and drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.common.html import html_table
from nsmb.common.labels import contact_of
from nsmb.common.text import text_table
from nsmb.solution.dense_output import stretches
from nsmb.solution.event_order import sums_before
from nsmb.solution.forces import contact_forces
from nsmb.solution.histories import History, HistoryTable
from nsmb.solution.quadrature import Stretch, integrals, rounding_of

if TYPE_CHECKING:
    from nsmb.solution.record import Record
    from nsmb.system.force_parts import ForceParts

__all__ = ["EnergyPart", "EnergyParts"]

Floats = NDArray[np.float64]
_FORCES = ("lambda_N", "lambda_T", "lambda_B")
_INSTANT = 1e-6  # distance, relative to a step, at which a sample counts as the end of the step
_NOTHING = 1e-12  # works and losses below this fraction of the energy turned over are rounding


class EnergyPart(History):
    """Energy of one part of a run since the start, see `EnergyParts`."""

    def __init__(self, record: Record, name: str, kind: str) -> None:
        super().__init__(record, name)
        self.kind = kind
        """``"contact"``, ``"element"``, ``"load"``, ``"input"``, ``"force"``, ``"damping"``,
        ``"gravity"``, ``"potential"``, ``"body"``, ``"motion"``, ``"constraint"`` or
        ``"event"``."""
        self.supplied: Floats = np.zeros(self.t.size)
        """Energy supplied from outside in J, shape (n,); negative where the part took energy."""
        self.dissipated: Floats = np.zeros(self.t.size)
        """Energy dissipated in J, shape (n,)."""
        self.stored: Floats = np.zeros(self.t.size)
        """Change of the stored energy in J, shape (n,)."""

    @property
    def work(self) -> Floats:
        """Work on the motion in J, ``supplied - dissipated - stored``, shape (n,)."""
        return self.supplied - self.dissipated - self.stored

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return `supplied`, `dissipated`, `stored` and `work` by name."""
        names = ("t", "supplied", "dissipated", "stored", "work")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        ends = (f"{name} {values[-1:].sum():.6g} J" for name, values in self.columns().items())
        return f"Energy of {self.kind} {self.name!r}: {', '.join(list(ends)[1:])}"


class EnergyParts(HistoryTable[EnergyPart]):
    """The energy of a run by part: ``sol.energy.parts["belt"].supplied``.

    The works of all parts add up to the change of the kinetic energy; `residual` is the rest. The
    parts are

    - contacts, stops and friction of joints, with the losses of sliding and of impacts, and the
      work of their prescribed velocities;
    - force elements, loads, inputs and gravity of models, and elastic bodies;
    - all prescribed motions of a model together, whose work includes that through contacts;
    - ``potential`` and ``forces`` of other systems, where forces have no names, ``damping`` and
      inputs of a `LinearSystem`;
    - constraints with prescribed velocities, and the effects of user-defined events.

    Some runs do not distinguish all parts. A stepped run records the loss of normal impulses of
    several contacts, and the work of several prescribed velocities, as sums. Such a sum is one
    part, named ``all contacts`` or after all its members, ``"left + right"``.

    Examples
    --------
    A belt pulls a block against friction. Half of its work heats the contact:

    >>> import nsmb
    >>> belt = nsmb.Contact(
    ...     w_N=[0, 1], w_T=[1, 0], w_tilde_T=-1.0, law=nsmb.ContactLaw(mu=0.5), name="belt"
    ... )
    >>> block = nsmb.LinearSystem([[2.0, 0.0], [0.0, 2.0]], force=[0.0, -20.0], contacts=[belt])
    >>> sol = nsmb.simulate(block, 1.0)
    >>> belt = sol.energy.parts["belt"]
    >>> [round(float(values[-1]), 9) for values in (belt.supplied, belt.dissipated, belt.work)]
    [2.0, 1.0, 1.0]
    """

    _group, _kind = "energy.parts", "part"

    def __init__(self, record: Record, balance: Mapping[str, Floats]) -> None:
        super().__init__(record)
        self._book = _Book(record, balance).parts
        self._kinetic = change = _since(balance["kinetic"])
        self.residual: Floats = change - sum(part.work for part in self._book.values())
        """Change of the kinetic energy that no part accounts for in J, shape (n,)."""
        sizes = [part.columns() for part in self._book.values()]
        self._rounding = rounding_of(*(balance[k] for k in ("kinetic", "potential", "elements")))
        self._turnover = balance["turnover"].max(initial=0.0) + sum(
            float(np.abs(size[name]).max(initial=0.0)) for size in sizes for name in list(size)[1:4]
        )

    @property
    def relative(self) -> float:
        """Largest `residual` over the energy that all parts have turned over.

        It is rounding, or the tolerance of the integrator, for an event-driven run. For a stepped
        run it is the error of the steps at their ends; inside a step, the velocity is interpolated,
        and `residual` is larger. It is 0 where nothing moves."""
        record, counts = self._record, np.ones(self.residual.size, dtype=bool)
        if "step_status" in record._data and record.step_t.size:
            known = np.append(record.t[0], record.step_t)
            beside = _INSTANT * (known[-1] - known[0]) / record.step_t.size
            near = np.searchsorted(known, record.t - beside).clip(0, known.size - 1)
            counts = np.abs(known[near] - record.t) <= beside
        size = float(np.abs(self.residual[counts]).max(initial=0.0))
        return size / max(self._turnover, self._rounding) if size > 0.0 else 0.0

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._book)

    def _make(self, name: str) -> EnergyPart:
        return self._book[name]

    def _unit(self, column: str) -> str:
        return "J"

    _HEADER = ("part", "kind", "supplied / J", "dissipated / J", "stored / J", "work / J")

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for part in self._book.values():
            ends = np.array([values[-1:].sum() for values in part.columns().values()])[1:]
            ends[np.abs(ends) <= _NOTHING * self._turnover] = 0.0
            rows.append((part.name, part.kind, *(f"{value:.6g}" for value in ends)))
        total = (("kinetic energy", self._kinetic), ("residual", self.residual))
        return rows + [(name, "", "", "", "", f"{v[-1:].sum():.6g}") for name, v in total]

    def __repr__(self) -> str:
        rows = self._rows()
        return text_table(self._HEADER, rows.__getitem__, len(rows), left=(0, 1), max_rows=None)

    def _repr_html_(self) -> str:
        return html_table("Energy by part", self._HEADER, self._rows())


class _Book:
    """Collects the parts of a run."""

    def __init__(self, record: Record, balance: Mapping[str, Floats]) -> None:
        self.parts: dict[str, EnergyPart] = {}
        self._record, self._system, self._balance = record, record.system, balance
        self._times = record.events.t[record.events.user >= 0]  # times of effects
        self._jumps = np.zeros(record.t.size)  # jumps of the stored energies at each sample
        forces = self._system._force_parts()
        self._drive = _since(balance["drive_work"])
        self._rounding = _NOTHING * float(np.nan_to_num(balance["turnover"]).max(initial=0.0))
        # A prescribed motion of a model also drives contacts, constraints and force elements.
        self._moves = any(kind == "motion" for _, kind, _ in forces.parts)
        self._add_losses()
        self._add_elements()
        if not self._moves and np.abs(self._drive).max(initial=0.0) > self._rounding:
            self._add_drives()
        self._add_forces(forces)
        self._add_effects()

    def _add(self, name: str, kind: str, **values: Floats) -> None:
        if name in self.parts and self.parts[name].kind != kind:
            name = f"{name} ({kind})"
        if name not in self.parts:
            self.parts[name] = EnergyPart(self._record, name, kind)
        for key, value in values.items():
            setattr(self.parts[name], key, getattr(self.parts[name], key) + value)

    def _until(self, values: Floats) -> Floats:
        """Return the sums of values (events,) from the first sample to each, (n,)."""
        return _since(sums_before(self._record, values))

    def _change(self, stored: Floats) -> tuple[Floats, Floats]:
        """Return the change of a stored energy, and the same without jumps by effects."""
        jumps = np.zeros(stored.size)
        sides = (np.diff(self._record.t) == 0.0) & np.isin(self._record.t[1:], self._times)
        jumps[1:][sides] = np.diff(stored)[sides]
        self._jumps += jumps
        return _since(stored), _since(stored) - np.cumsum(jumps)

    def _add_losses(self) -> None:
        record, events = self._record, self._record.events
        works = events.work_N + events.work_T  # zero in stepped runs
        rest = _since(self._balance["impact_loss"])
        rest -= self._until(np.where(events.user >= 0, events.energy_loss, 0.0))
        for name, own in record.labels.contact_columns.items():
            loss = self._until(-works[:, list(own)].sum(axis=1))
            rest -= loss
            loss = loss + record.friction_loss[:, list(own)].sum(axis=1)
            self._add(name, "contact", dissipated=loss)
        if not np.abs(rest).max(initial=0.0) > self._rounding:
            return
        if "impact_loss" in record._data:
            alone = len(self.parts) == 1 and "found_count" not in record._data
            name = next(iter(self.parts)) if alone else "all contacts"
            self._add(name, "contact", dissipated=rest)
        elif record.constraint_names:
            self._add(" + ".join(record.constraint_names), "constraint", dissipated=rest)

    def _add_elements(self) -> None:
        record, system = self._record, self._system
        laws = system._core.elements
        own = [k for k, law in enumerate(laws) if law.law != _system.ElementLaw.Watched]
        if not own:
            return
        c, d = (np.array([getattr(laws[k], name) for k in own]) for name in ("c", "d"))
        d = np.where([laws[k].law == _system.ElementLaw.ElasticGap for k in own], 0.0, d)
        walls = [k for k in own if laws[k].law == _system.ElementLaw.RelaxingWall]

        def powers(stretch: Stretch) -> Floats:
            found = np.empty((2, len(own), *stretch.t.shape))
            nq, nu = system.nq, system.nu
            for i, k in np.ndindex(stretch.t.shape):
                y = stretch.y[i, k]
                at = system.element_kinematics(float(stretch.t[i, k]), y[:nq])
                driven = at["w_tilde"][own]
                rate = at["W"].T[own] @ y[nq : nq + nu] + driven
                force = -stretch.modes[i, own] * (c * at["gamma"][own] + d * rate)
                found[:, :, i, k] = force * rate, -force * driven
            return found.reshape(-1, *stretch.t.shape)

        done, _ = integrals(record, powers, 2 * len(own))
        for j, k in enumerate(own):
            length = np.minimum(record.element_gamma[:, k], 0.0)
            if k in walls:
                length = record.x[:, system._core.nx_own + walls.index(k)]
            stored, change = self._change(0.5 * c[j] * length**2)
            name, given = record.element_names[k], done[len(own) + j]
            self._add(name, "element", dissipated=-done[j] - change, stored=stored)
            if self._moves:
                self._drive = self._drive + given
            else:
                self._add(name, "element", supplied=given)

    def _add_forces(self, forces: ForceParts) -> None:
        record, count = self._record, len(forces.parts)

        def powers(stretch: Stretch) -> Floats:
            steps, points, rows = stretch.y.shape
            inputs = np.repeat(stretch.inputs, points, axis=0)
            found = forces.powers(stretch.t.ravel(), stretch.y.reshape(-1, rows), inputs)
            return found.reshape(count, steps, points)

        done, _ = integrals(record, powers, count)
        held = forces.stored(record.t, record._data["y"], np.array(record.inputs))
        known = np.isfinite(self._balance["potential"]).all()
        rest = self._balance["work"] - (_since(self._balance["potential"]) if known else 0.0)
        for (name, kind, role), work, energy in zip(forces.parts, done, held, strict=True):
            if np.isnan(energy).any():  # not available: a spring stores the work done on it
                energy = -work if role == "holds" else np.zeros(work.size)
            stored, change = self._change(energy)
            if role == "rest":
                work = rest + (self._drive if self._moves else 0.0)
            gain = {"holds": np.zeros(work.size), "damps": work}.get(role, work + change)
            takes = role in ("takes", "damps")
            given = {"dissipated": -gain} if takes else {"supplied": gain}
            self._add(name, kind, stored=stored, **given)
            rest = rest - (gain - change)

    def _add_effects(self) -> None:
        record, events = self._record, self._record.events
        times, first = np.unique(events.t[events.user >= 0], return_index=True)
        names = events.user[events.user >= 0][first]
        for k, name in enumerate(record.labels.user_event_names):
            own = events.user == k
            if not own.any():
                continue
            given = self._until(np.where(own, -events.energy_loss, 0.0))
            jumps = np.where(np.isin(record.t, times[names == k]), self._jumps, 0.0)
            self._add(name, "event", supplied=given + np.cumsum(jumps))

    def _add_drives(self) -> None:
        """Add the work of prescribed velocities of contacts and constraints."""
        record, drivers = self._record, self._drivers()
        if len(drivers) == 1 or "step_status" in record._data:
            kind = drivers[0][1] if len({kind for _, kind, _ in drivers}) == 1 else "motion"
            self._add(" + ".join(name for name, _, _ in drivers), kind, supplied=self._drive)
            return

        def powers(stretch: Stretch) -> Floats:
            times, y = stretch.t.ravel(), stretch.y.reshape(-1, stretch.y.shape[2])
            state = record._evaluate(times, "right")[1]
            acting = contact_forces(self._system, record._data, times, y, state, "right")
            found = -np.hstack([acting[name] for name in _FORCES]) * self._driven(times, y)
            rows = [found[:, own].sum(axis=1) for _, _, own in drivers]
            return np.array(rows).reshape(len(drivers), *stretch.t.shape)

        done, _ = integrals(record, powers, len(drivers))
        events = record.events
        blows = np.zeros((len(events), len(self._columns)))
        count = record.g_N.shape[1] + record.gamma_T.shape[1]
        blows[:, :count] = np.hstack([events.Lambda_N, events.Lambda_T])
        blows *= -self._driven(events.t, np.hstack([events.q, events.u_plus]))
        for (name, kind, own), work in zip(drivers, done, strict=True):
            self._add(name, kind, supplied=work + self._until(blows[:, own].sum(axis=1)))
        # The drive work of an event includes that of constraints, whose impulses are not recorded.
        held = " + ".join(name for name, kind, _ in drivers if kind == "constraint")
        rest = self._until(events.drive_work - blows.sum(axis=1))
        if held and np.abs(rest).max(initial=0.0) > self._rounding:
            self._add(held, "constraint", supplied=rest)

    def _driven(self, t: Floats, y: Floats) -> Floats:
        """Return the prescribed velocities of contacts (normal, tangential) and constraints."""
        system, found = self._system, np.zeros((t.size, len(self._columns)))
        nq, end = system.nq, system.nq + system.nu
        for k, time in enumerate(t.tolist()):
            at = system.contact_kinematics(time, y[k, :nq], y[k, nq:end])
            row = [at["w_tilde_N"], at["w_tilde_T"]]
            if system.constraints:
                held = system.constraint_kinematics(time, y[k, :nq], y[k, nq:end])
                row.append(held["w_tilde"])
            found[k] = np.concatenate(row)
        return found

    @property
    def _columns(self) -> list[tuple[str, str]]:
        """Name and kind of the contact or constraint of each column of `_driven`."""
        labels = self._record.labels
        tangents = [
            (contact_of(name), "contact")
            for name, own in zip(labels.contact_names, labels.tangent_columns, strict=True)
            for _ in own
        ]
        contacts = [(contact_of(name), "contact") for name in labels.contact_names]
        return contacts + tangents + [(name, "constraint") for name in labels.constraint_names]

    def _drivers(self) -> list[tuple[str, str, list[int]]]:
        """Return name, kind and columns of `_driven` of everything with a prescribed velocity."""
        record = self._record
        start, end = stretches(record._data)
        within = start + 0.382 * (end - start)  # samples may all be at zeros of a velocity
        y = np.vstack([record._data["y"], record._evaluate(within, "right")[0]])
        moving = self._driven(np.append(record.t, within), y).any(axis=0)
        found: dict[tuple[str, str], list[int]] = {}
        for k in np.flatnonzero(moving).tolist():
            found.setdefault(self._columns[k], []).append(k)
        return [(*key, own) for key, own in found.items()]


def _since(values: Floats) -> Floats:
    """Return values since the first sample, which is after the impacts of the start."""
    return values - values[:1]
