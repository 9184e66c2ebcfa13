"""Equations of the timing gears of section 11.1: wheels, camshaft, meshes, bearings, loads."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any

from nsmb.common.extras import import_extra
from nsmb.system import System
from nsmb.system.forces import ForceElement, GapForce
from nsmb.systems.gears.timing_gear_data import (
    FIRING_ORDER,
    MESHES,
    Layout,
    TimingGearsParameters,
)

__all__ = ["lobes", "short_bearing", "template"]


@dataclass
class _Terms:
    """Accumulated energies and forces."""

    kinetic: Any = 0
    potential: Any = 0
    forces: dict[Any, Any] = field(default_factory=dict)

    def push(self, force: Any, direction: dict[Any, Any]) -> None:
        """Add a force along a displacement whose derivatives by the coordinates are `direction`."""
        for q, factor in direction.items():
            self.forces[q] = self.forces.get(q, 0) + force * factor


class _Train:
    """The equations of one layout with symbolic data `p`."""

    def __init__(self, layout: Layout, p: Any) -> None:
        sympy = import_extra("sympy", "symbolic")

        from nsmb import symbolic

        self.sp, self.layout, self.p = sympy, layout, p
        self.time = symbolic.time
        made = symbolic.coordinates(" ".join(layout.coordinates))
        self.q = dict(zip(layout.coordinates, made, strict=True))
        self.u = dict(zip(layout.coordinates, symbolic.velocities(*made), strict=True))
        self.crank = p.speed * sympy.pi / 30  # rad/s
        self.r_4 = p.r_3 * p.r_5 / (2 * p.r_1)  # the camshaft turns half as fast
        self.terms = _Terms()
        self.elements: list[Any] = []
        self._shaft()
        self._pumps()
        if layout.damper:
            self._damper()
        self._wheels_on_bearings()
        self._meshes()

    def rate(self, expression: Any) -> Any:
        """Return the total time derivative."""
        found = self.sp.diff(expression, self.time)
        return found + sum(self.sp.diff(expression, q) * self.u[name] for name, q in self.q.items())

    def direction(self, expression: Any) -> dict[Any, Any]:
        """Return the nonzero derivatives by the coordinates."""
        found = {q: self.sp.diff(expression, q) for q in self.q.values()}
        return {q: factor for q, factor in found.items() if factor != 0}

    # ---- bodies ------------------------------------------------------------------------------

    def _waves(self) -> list[Any]:
        """Return λ_k of the functions w_k = sin λ_k z, clamped at wheel 5 and free at the end."""
        return [(2 * k + 1) * self.sp.pi / (2 * self.p.l) for k in range(self.layout.elastic)]

    def twisted(self, z: Any) -> Any:
        """Return the deviation φ_5 + wᵀ(z) q_el of the camshaft at z (11.4), (11.14)."""
        parts = enumerate(self._waves(), 1)
        return self.q["phi_5"] + sum(self.q[f"q_{k}"] * self.sp.sin(wave * z) for k, wave in parts)

    def _shaft(self) -> None:
        p, terms = self.p, self.terms
        omega = self.u["phi_5"]
        terms.kinetic += p.rho_I * p.l * omega**2 / 2
        for k, wave in enumerate(self._waves(), 1):
            q, rate = self.q[f"q_{k}"], self.u[f"q_{k}"]
            mass = p.rho_I * p.l / 2  # M_el (11.16)
            stiffness = p.GI * wave**2 * p.l / 2  # K_el (11.16)
            h = p.rho_I / wave  # (11.16)
            terms.kinetic += mass * rate**2 / 2 + h * omega * rate
            terms.potential += stiffness * q**2 / 2
            terms.push(-2 * p.D_S * self.sp.sqrt(mass * stiffness) * rate, {q: 1})

    def _damper(self) -> None:
        """Add a ring on the free end of the camshaft."""
        p = self.p
        ring, omega = self.q["phi_D"], self.u["phi_D"]
        c = p.J_D * (2 * self.sp.pi * p.f_D) ** 2
        self.terms.kinetic += p.J_D * omega**2 / 2
        slip = self.twisted(p.l) - ring
        self.terms.potential += c * slip**2 / 2
        d = 2 * p.D_D * self.sp.sqrt(c * p.J_D)
        self.terms.push(-d * self.rate(slip), self.direction(slip))

    def _wheels_on_bearings(self) -> None:
        p, terms = self.p, self.terms
        for name in self.layout.wheels[1:]:
            terms.kinetic += getattr(p, f"J_{name}") * self.u[f"phi_{name}"] ** 2 / 2
        for name in self.layout.on_bearings:
            x, y = self.q[f"x_{name}"], self.q[f"y_{name}"]
            vx, vy = self.u[f"x_{name}"], self.u[f"y_{name}"]
            terms.kinetic += getattr(p, f"m_{name}") * (vx**2 + vy**2) / 2
            C, D = self._bearing(name)
            c_12 = (C[0, 1] + C[1, 0]) / 2
            terms.potential += (C[0, 0] * x**2 + 2 * c_12 * x * y + C[1, 1] * y**2) / 2
            skew = (C[0, 1] - C[1, 0]) / 2  # part without a potential
            terms.push(-skew * y - D[0, 0] * vx - D[0, 1] * vy, {x: 1})  # (11.9), (11.10)
            terms.push(skew * x - D[1, 0] * vx - D[1, 1] * vy, {y: 1})

    def _bearing(self, name: str) -> tuple[Any, Any]:
        """Return stiffness and damping in x and y, each of shape (2, 2)."""
        sp, p = self.sp, self.p
        if self.layout.bearings == "roller":
            return p.c_B * sp.eye(2), p.d_B * sp.eye(2)  # (11.9)
        # a short bearing under the mean load of the wheel
        load = sp.zeros(2, 1)
        for mesh in self._chain():
            force = self.static(p.T_mean, mesh.name)
            if mesh.driven == name:
                load += force * mesh.normal
            if mesh.driver == name:
                load -= force * mesh.normal
        size = sp.sqrt(load.dot(load))
        along = load / size
        turn = sp.Matrix([[along[0], -along[1]], [along[1], along[0]]])
        ratio = {"1": 1, "2": p.r_1 / p.r_2, "34": p.r_1 / p.r_3, "5": sp.Rational(1, 2)}[name]
        gamma, beta = short_bearing(sp, p.eps_B)
        sense = self._senses()[name]
        mirror = sp.diag(1, sense)  # the film rotates with the wheel
        C = size / p.delta_B * turn * mirror * gamma * mirror * turn.T  # (11.10)
        D = size / (p.delta_B * ratio * self.crank) * turn * mirror * beta * mirror * turn.T
        return C, D

    # ---- loads -------------------------------------------------------------------------------

    def _pumps(self) -> None:
        """Add six pumps, each with a lobe that loads the shaft, followed by one that drives it."""
        sp, p = self.sp, self.p
        b_1, b_2 = p.b_1, p.b_2
        rest, lobe = lobes(p)
        for k in range(1, 7):
            turned = self.crank / 2 * self.time - sp.pi / 3 * FIRING_ORDER.index(k)
            angle = sp.Mod(turned, 2 * sp.pi)
            torque = rest / 6 + sp.Piecewise(
                (lobe * sp.sin(sp.pi * angle / b_1) ** 2, angle < b_1),
                (-p.T_back * sp.sin(sp.pi * (angle - b_1) / b_2) ** 2, angle < b_1 + b_2),
                (0, True),
            )
            place = self.twisted(p.l * sp.Rational(2 * k - 1, 12))
            self.terms.push(-torque, self.direction(place))  # M_k w(z_k) (11.15)

    def crank_angle(self) -> Any:
        """Return the prescribed deviation of wheel 1 from its uniform rotation."""
        angle = self.crank * self.time
        return self.p.A_3 * self.sp.sin(3 * angle) + self.p.A_6 * self.sp.sin(6 * angle)

    # ---- meshes ------------------------------------------------------------------------------

    def _senses(self) -> dict[str, int]:
        return {name: (-1) ** k for k, name in enumerate(self.layout.wheels)}

    def _chain(self) -> list[_Mesh]:
        sp, p = self.sp, self.p
        wheels = self.layout.wheels
        radii = {("1", "2"): (p.r_1, p.r_2), ("2", "34"): (p.r_2, p.r_3),
                 ("1", "34"): (p.r_1, p.r_3), ("34", "5"): (self.r_4, p.r_5)}  # fmt: skip
        # from centre to centre; the shafts have the same positions without the idler
        angles = (p.a_12, p.a_23, p.a_45) if self.layout.side == "A" else (p.a_12, p.a_45)
        found = []
        names = MESHES[self.layout.side]
        for name, driver, driven, angle in zip(names, wheels, wheels[1:], angles, strict=False):
            towards = sp.Matrix([sp.cos(angle), sp.sin(angle)])
            sense = self._senses()[driver]
            ahead = sense * sp.Matrix([-towards[1], towards[0]])
            normal = sp.cos(p.alpha) * ahead + sp.sin(p.alpha) * towards
            rear = -sp.cos(p.alpha) * ahead + sp.sin(p.alpha) * towards
            found.append(_Mesh(name, driver, driven, *radii[driver, driven], normal, rear))
        return found

    def static(self, torque: Any, mesh: str) -> Any:
        """Return the force in a mesh for a torque at the camshaft, N."""
        return torque / self.p.r_5 if mesh == "45" else torque / (2 * self.p.r_1)

    def _moved(self, name: str) -> Any:
        """Return the displacement of a wheel in its bearings, shape (2, 1)."""
        if name not in self.layout.on_bearings:
            return self.sp.zeros(2, 1)
        return self.sp.Matrix([self.q[f"x_{name}"], self.q[f"y_{name}"]])

    def _angle(self, name: str) -> Any:
        return self.crank_angle() if name == "1" else self.q[f"phi_{name}"]

    def _meshes(self) -> None:
        p = self.p
        for mesh in self._chain():
            turned = mesh.r * self._angle(mesh.driver) - mesh.R * self._angle(mesh.driven)
            apart = self._moved(mesh.driven) - self._moved(mesh.driver)
            c = getattr(p, f"c_{mesh.name}")
            # (11.6): γ of the working flank and of the rear flank, which has the backlash
            gaps = {"front": apart.dot(mesh.normal) - turned,
                    "rear": apart.dot(mesh.rear) + turned + p.s}  # fmt: skip
            for flank, gap in gaps.items():
                d = (1 - p.oil) * p.d_M if self.layout.oil else p.d_M
                self.elements.append(
                    ForceElement(gap, GapForce(c, d, "relaxing_wall"), f"{mesh.name}_{flank}")
                )
                if self.layout.oil:
                    self._oil(gap)

    def _oil(self, gap: Any) -> None:
        """Add damping that grows exponentially towards the flank (fig. 11.6) and does not pull."""
        sp, p = self.sp, self.p
        film = sp.Min(sp.exp(-gap / p.h), 1)
        force = -p.oil * p.d_M * film * sp.Min(self.rate(gap), 0)
        self.terms.push(force, self.direction(gap))


@dataclass(frozen=True)
class _Mesh:
    name: str
    driver: str
    driven: str
    r: Any
    R: Any
    normal: Any
    """Direction of the force of the working flank on the driven wheel, shape (2, 1)."""
    rear: Any


def short_bearing(sp: Any, eps: Any) -> tuple[Any, Any]:
    """Return stiffness and damping of a short journal bearing, each of shape (2, 2).

    The axes are along the load and normal to it, and the journal rotates from the first axis to the
    second. The results are γ and β of c_ij = W γ_ij/δ and d_ij = W β_ij/(δ Ω), from the Ocvirk film
    force at the relative eccentricity `eps`.
    """
    # film force by radial and tangential velocity, relative to the load
    e, phi, de, dphi = sp.symbols("e phi de dphi", real=True)
    root = 1 - e**2
    # squeeze and wedge terms: (Ω - 2 φ̇) with Ω = 1
    radial = (1 - 2 * dphi) * 2 * e**2 / root**2 + sp.pi * (
        1 + 2 * e**2
    ) * de / root ** sp.Rational(5, 2)
    across = (1 - 2 * dphi) * sp.pi * e / (2 * root ** sp.Rational(3, 2)) + 4 * e * de / root**2
    F = sp.Matrix(
        [
            radial * sp.cos(phi) + across * sp.sin(phi),
            radial * sp.sin(phi) - across * sp.cos(phi),
        ]
    )  # against the displacement, x along e at phi = 0
    # the load is opposite to the film force; rotate it to the first axis
    size = sp.sqrt((F.T * F)[0]).subs({de: 0, dphi: 0})
    polar = sp.Matrix([[sp.cos(phi), sp.sin(phi)], [-sp.sin(phi) / e, sp.cos(phi) / e]])
    at = {phi: 0, de: 0, dphi: 0, e: eps}
    by_place = (F.jacobian([e, phi]) * polar).subs(at)
    by_speed = (F.jacobian([de, dphi]) * polar).subs(at)
    rest = F.subs(at) / size.subs(at)
    turn = sp.Matrix([[rest[0], rest[1]], [-rest[1], rest[0]]])
    scale = 1 / size.subs(at)
    return scale * turn * by_place * turn.T, scale * turn * by_speed * turn.T


def lobes(p: Any) -> tuple[Any, Any]:
    """Return base torque and lobe height, N m, from mean and peak; lobes must not overlap."""
    share = 3.0 / (2.0 * math.pi)  # six lobes per revolution with half height on average
    rest = (p.T_mean - share * (p.T_max * p.b_1 - p.T_back * p.b_2)) / (1.0 - share * p.b_1)
    return rest, p.T_max - rest


@functools.cache
def template(layout: Layout) -> System:
    """Derive the system of a layout with the default parameters once."""
    from nsmb import symbolic

    data = TimingGearsParameters(
        n=layout.n, elastic=layout.elastic, side=layout.side, bearings=layout.bearings
    )
    p: Any = symbolic.parameters(**data.values())
    train = _Train(layout, p)
    return symbolic.LagrangianSystem(
        list(train.q.values()),
        train.terms.kinetic,
        train.terms.potential,
        train.terms.forces,
        elements=train.elements,
        parameters=p,
        linear=False,
        name="timing_gears",
        coordinate_units=layout.units,
        parameter_info=data.info(),
        period=120 / p.speed,
    )
