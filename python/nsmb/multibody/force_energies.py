"""Power and stored energy of each force of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb._core import simulation as _simulation
from nsmb.gears import GearTrain
from nsmb.multibody.areal import FoundationForce
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.body_energies import BodyMeter
from nsmb.multibody.laws import ForceTable, SpringDamper
from nsmb.multibody.motion import values_of
from nsmb.multibody.parts import LawRecord
from nsmb.system.force_parts import ForceParts

__all__ = ["ForceEnergies"]

Array = NDArray[np.float64]
_CONSTRAINTS = (
    "loops", "contacts", "surface_contacts", "surface_laws", "switches", "frictions", "stops",
)  # fmt: skip
_FORCES = ("laws", "loads", "elements")


class ForceEnergies(ForceParts):
    """Power and stored energy of the weight, of each force and of each elastic body of a model.

    Each force acts alone on bodies without constraints. Coordinates with a prescribed motion are
    free there and have the values of this motion, so powers are those on all bodies.
    """

    def __init__(self, model: Blueprint, assembly: Assembly) -> None:
        free = model.copy()
        free.joints = {
            name: dataclasses.replace(joint, motions=()) for name, joint in model.joints.items()
        }
        for group in _CONSTRAINTS:
            setattr(free, group, {})
        self._own, self._whole = assembly, Assembly(free)
        self._motions = [
            (f"{joint.name}.{own}" if (own := joint.joint._names()[0][k]) else joint.name, s)
            for joint in model.joints.values()
            for k, s, _ in joint.motions
        ]
        self._meters = [BodyMeter(assembly, model, body) for body in model.elastic]
        self._cores = [self._core_with(free, model)]
        self._constant: list[bool] = []
        self.parts = [("gravity", "gravity", "holds")]
        for group in _FORCES:
            for name, record in getattr(model, group).items():
                self._cores.append(self._core_with(free, model, group, name))
                kind = "load" if group == "loads" else "element"
                self.parts.append((name, kind, _role(record)))
                self._constant.append(isinstance(record, LawRecord) and _is_constant(record))
        self.parts += [(body, "body", "damps") for body in model.elastic]
        if self._motions:
            self.parts.append((" + ".join(name for name, _ in self._motions), "motion", "rest"))

    def powers(self, t: Array, y: Array, inputs: Array) -> Array:
        """Return the power on the bodies in W at times (k,), states (k, ny) and inputs (k, ni)."""
        bare, *each = (at["power"] for at in self._alone(t, y, inputs))
        u = y[:, self._own.core.nq : self._own.core.nq + self._own.core.nu]
        rows = [0.0 * bare, *(power - bare for power in each)]
        rows += [-meter.damping_power(u) for meter in self._meters]
        return np.array(rows + [0.0 * bare] * bool(self._motions))

    def stored(self, t: Array, y: Array, inputs: Array) -> Array:
        """Return the stored energies in J, NaN where unknown.

        A prescribed motion stores the kinetic energy of the bodies beyond that of the free motion,
        ½ uᵀMu.
        """
        bare, *each = self._alone(t, y, inputs)
        core = self._own.core
        q, u = y[:, : core.nq], y[:, core.nq : core.nq + core.nu]
        elastic = [meter.energies(t, q, u)[1] for meter in self._meters]
        rows = [bare["potential"] - sum(elastic)]
        # A constant force has a potential as well, but stores nothing.
        rows += [
            np.full(t.size, np.nan) if constant else at["potential"] - bare["potential"]
            for at, constant in zip(each, self._constant, strict=True)
        ]
        rows += elastic
        if self._motions:
            own = _simulation.evaluate_energies(core, t, y, np.zeros((t.size, core.ne)), inputs)
            rows.append(bare["kinetic"] - own["kinetic"])
        return np.array(rows)

    def _core_with(
        self, free: Blueprint, model: Blueprint, group: str = "", name: str = ""
    ) -> tuple[_multibody.ModelSystem, list[int], list[int]]:
        """Return a core with at most one force, and its inputs and states in the whole model."""
        alone = free.copy()
        for each in _FORCES:
            setattr(alone, each, {name: getattr(free, each)[name]} if each == group else {})
        core = _multibody.ModelSystem(
            self._whole.tree, markers=self._whole.markers, **self._whole._parts(alone)
        )
        states = [self._own.core.states.index(state) for state in core.states]
        return core, [model.inputs.index(entry) for entry in alone.inputs], states

    def _alone(self, t: Array, y: Array, inputs: Array) -> Iterator[dict[str, Array]]:
        """Yield the energies of the bodies without forces, then with each force."""
        own, whole = self._own, self._whole
        q, u, x = np.split(y, [own.core.nq, own.core.nq + own.core.nu], axis=1)
        place, rate = whole.coordinate_places.of, whole.velocity_places.of
        free_q, free_u = np.zeros((t.size, len(place))), np.zeros((t.size, len(rate)))
        free_q[:, [place[name] for name in own.coordinates]] = q
        free_u[:, [rate[name] for name in own.velocities]] = u
        for name, s in self._motions:
            values = values_of(s, t)
            free_q[:, place[name]] += values[:, 0]
            free_u[:, rate[name]] += values[:, 1]
        for core, entries, states in self._cores:
            state = np.hstack([free_q, free_u, x[:, states]])
            modes = np.zeros((t.size, core.ne))
            yield _simulation.evaluate_energies(core, t, state, modes, inputs[:, entries])


def _is_constant(record: LawRecord) -> bool:
    """Return True for a motor: a preload without a spring."""
    law = record.law
    return isinstance(law, SpringDamper) and bool(law.preload) and not law.c


def _role(record: object) -> str:
    """Return the role of a force in the energy balance: gives, takes or holds."""
    if isinstance(record, LawRecord):
        law = record.law
        if isinstance(law, SpringDamper):
            if _is_constant(record):
                return "gives"
            return "takes" if law.d else "holds"
        if isinstance(law, ForceTable):
            return "takes" if np.size(law.speeds) else "holds"
        return "gives"
    element = getattr(record, "element", None)
    return "takes" if isinstance(element, GearTrain | FoundationForce) else "gives"
