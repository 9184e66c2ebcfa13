"""Equations of the turbo-generator set: Pfeiffer & Glocker, sections 11.2.2 to 11.2.5."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nsmb.common.extras import import_extra
from nsmb.system import ParameterInfo, System
from nsmb.system.forces import ForceElement, GapForce
from nsmb.systems.machines.synchronous_machine import STATES, SynchronousMachine, park_voltages

__all__ = ["BODIES", "DATA", "Drive", "equations", "machine_of"]

BODIES = ("turbine", "pinion", "gearwheel", "clutch_1", "clutch_2", "generator")
"""B1 to B6 of Fig. 11.16."""
DATA = (
    "t_fault", "t_clear", "epsilon", "tau", "T_N", "T_R", "cos_phi", "f", "p",
    "x_l", "x_md", "x_mq", "x_D", "x_Q", "x_E", "R_S", "R_D", "R_Q", "R_E",
    "J_1", "J_2", "J_3", "J_4", "J_5", "J_6",
    "c_2", "c_T", "c_5", "c_6", "c_7", "D_S", "D_T", "s", "r", "alpha", "beta",
)  # fmt: skip
"""Parameters that appear directly in the equations."""


def machine_of(p: Any) -> SynchronousMachine:
    """Return the generator; `p` contains numbers or expressions by name."""
    names = ("x_l", "x_md", "x_mq", "x_D", "x_Q", "x_E", "R_S", "R_D", "R_Q", "R_E")
    return SynchronousMachine(**{name: getattr(p, name) for name in names}, omega=2 * math.pi * p.f)


def damping(ratio: Any, c: Any, J_a: Any, J_b: Any) -> Any:
    """Return the dashpot coefficient of a spring between two inertias for a damping ratio."""
    return 2 * ratio * (c * J_a * J_b / (J_a + J_b)) ** 0.5


class Drive:
    """Springs and dashpots of the drive; `p` contains numbers or expressions by name."""

    def __init__(self, p: Any) -> None:
        self.p = p
        self.arm = p.r * _cos(p.alpha) * _cos(p.beta)
        """Lever arm of the tooth force about the axis, from (11.54) and (11.55)."""
        self.J = (p.J_1, p.J_2, p.J_3, p.J_4, p.J_5, p.J_6)
        before, behind = sum(self.J[:4]), sum(self.J[4:])
        self.clutch = (p.c_6, damping(p.D_S, p.c_6, before, behind))
        self.shafts = {
            (0, 1): (p.c_2, damping(p.D_S, p.c_2, p.J_1, p.J_2)),
            (2, 3): (p.c_5, damping(p.D_S, p.c_5, p.J_3, p.J_4)),
            (3, 4): self.clutch,
            (4, 5): (p.c_7, damping(p.D_S, p.c_7, p.J_5, p.J_6)),
        }
        """Stiffness and damping between two bodies (11.53)."""
        mass = self.arm**2
        self.teeth = (p.c_T, damping(p.D_T, p.c_T, p.J_2 / mass, p.J_3 / mass))


def _cos(angle: Any) -> Any:
    if isinstance(angle, float | int):
        return math.cos(angle)
    sympy = import_extra("sympy", "symbolic")

    return sympy.cos(angle)


def equations(
    values: Mapping[str, float], info: Mapping[str, ParameterInfo], model: str, flanks: str
) -> System:
    """Return the system with the given number of masses and kind of flanks."""
    from nsmb import symbolic

    p: Any = symbolic.parameters(**values)
    drive, machine = Drive(p), machine_of(p)
    two = model == "two-mass"
    bodies = ("drive", "generator") if two else BODIES
    phi = symbolic.coordinates(" ".join(f"phi_{name}" for name in bodies))
    omega = symbolic.velocities(*phi)
    i = symbolic.states(" ".join(STATES))

    inertias = (sum(drive.J[:4]), sum(drive.J[4:])) if two else drive.J
    shafts = {(0, 1): drive.clutch} if two else drive.shafts
    kinetic = sum(J * w**2 for J, w in zip(inertias, omega, strict=True)) / 2
    potential: Any = 0
    torques: list[Any] = [0] * len(bodies)
    for (a, b), (c, d) in shafts.items():  # (11.53)
        potential += c * (phi[a] - phi[b]) ** 2 / 2
        torques[a] -= d * (omega[a] - omega[b])
        torques[b] += d * (omega[a] - omega[b])
    torques[0] += p.T_M
    # (11.59): rated apparent power at synchronous speed is the unit
    torques[-1] += p.T_N / p.cos_phi * machine.torque(i) - p.T_R

    twist = p.T_M / drive.clutch[0]
    initial: dict[Any, Any] = {phi[-1]: p.delta / p.p}
    elements = []
    if two:
        initial[phi[0]] = initial[phi[1]] + twist
    else:
        c_T, d_T = drive.teeth
        gap = drive.arm * (phi[2] - phi[1])  # γ_1 < 0: the pinion drives through the front flank
        if flanks == "never apart":
            potential += c_T * gap**2 / 2
            rate = drive.arm * (omega[2] - omega[1])
            torques[2] -= drive.arm * d_T * rate
            torques[1] += drive.arm * d_T * rate
        else:
            law: Any = "relaxing_wall" if flanks == "relaxing wall" else "elastic_gap"
            elements = [
                ForceElement(gap, GapForce(c_T, d_T, law), "front"),
                ForceElement(p.s - gap, GapForce(c_T, d_T, law), "rear"),  # γ_2 = s - γ_1
            ]
        initial[phi[4]] = initial[phi[5]] + p.T_M / p.c_7
        initial[phi[3]] = initial[phi[4]] + twist
        initial[phi[2]] = initial[phi[3]] + p.T_M / p.c_5
        initial[phi[1]] = initial[phi[2]] + p.T_M / (c_T * drive.arm**2)
        initial[phi[0]] = initial[phi[1]] + p.T_M / p.c_2
    initial |= {
        current: getattr(p, f"start_{name}") for current, name in zip(i, STATES, strict=True)
    }
    return symbolic.LagrangianSystem(
        phi,
        kinetic,
        potential,
        torques,
        elements=elements,
        states=dict(zip(i, _current_rates(p, machine, phi[-1], omega[-1], i), strict=True)),
        parameters=p,
        initial=initial,
        linear=False,
        name="turbo_generator",
        coordinate_units=["rad"] * len(bodies),
        parameter_info=info,
    )


def _current_rates(
    p: Any, machine: SynchronousMachine, phi: Any, omega: Any, i: Any
) -> tuple[Any, ...]:
    """Return (11.57) solved for the rates; with an open switch, the stator currents decay."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    t = symbolic.time

    def during(before: Any, fault: Any, behind: Any) -> Any:
        return sympy.Piecewise((before, t < p.t_fault), (fault, t < p.t_clear), (behind, True))

    lag = machine.omega * (t - p.t_fault) + p.epsilon
    lost = [during(0, gone, 0) for gone in (p.lost_0, p.lost_1, p.lost_2)]
    u_d, u_q = park_voltages(lag, p.p * phi, lost, sympy.cos, sympy.sin)
    u = (u_d, u_q, 0, 0, p.u_E)
    n = 1 + p.p * omega / machine.omega
    open = during(p.open_before, p.open_after, 0)
    closed = machine.stator_rates(i, u, n)
    dying = (-i[0] / p.tau, -i[1] / p.tau)
    d, q = (open * a + (1 - open) * b for a, b in zip(dying, closed, strict=True))
    D, Q, E = machine.rotor_rates(i, u, n, (d, q))
    return d, q, D, Q, E
