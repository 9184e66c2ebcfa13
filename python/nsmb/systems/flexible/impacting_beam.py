"""A cantilever on a vibrating support, whose tip strikes a stop on the support."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.flexible import NodalFrame, beam, reduce
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["ImpactingBeamParameters", "impacting_beam"]

_STRIP = "chosen: a strip of spring steel, 9.3 Hz"
_CHOSEN = "chosen"


@dataclass(frozen=True, kw_only=True)
class ImpactingBeamParameters(Parameters):
    """Data of strip, support and stop."""

    L: float = parameter(0.3, "m", "length", _STRIP, positive=True)
    b: float = parameter(0.02, "m", "width", _STRIP, positive=True)
    t: float = parameter(1e-3, "m", "thickness", _STRIP, positive=True)
    E: float = parameter(2.1e11, "Pa", "Young's modulus", _STRIP, positive=True)
    rho: float = parameter(7850.0, "kg/m³", "density", _STRIP, positive=True)
    n: int = parameter(20, "1", "elements", _CHOSEN, positive=True)
    modes: int = parameter(3, "1", "clamped modes that are kept, at most 2 n", _CHOSEN,
                           positive=True)  # fmt: skip
    zeta: float = parameter(0.02, "-", "damping ratio of every mode", _CHOSEN)
    a: float = parameter(1e-3, "m", "amplitude of the support", _CHOSEN)
    omega: float = parameter(70.0, "rad/s", "frequency of the support", _CHOSEN, positive=True)
    gap: float = parameter(2e-3, "m", "of the straight strip, below its tip", _CHOSEN)
    e_N: float = parameter(0.6, "-", "normal restitution of tip and stop", _CHOSEN)


@parametric(ImpactingBeamParameters, recommended=Recommended(t_end=2.0))
def impacting_beam(p: ImpactingBeamParameters) -> MultibodySystem:
    """Cantilever on a vibrating support with a stop below its tip.

    ===========  =========================================================================
    coordinates  ``strip.q1``, ... (m): amplitudes of the clamped modes, normalised to a
                 largest displacement of 1
    contact      ``stop``: the tip
    source       the experiment of F.C. Moon, S.W. Shaw, "Chaotic vibrations of a beam with
                 non-linear boundary conditions", Int. J. Non-Linear Mech. 18 (1983) 465-477, with
                 chosen data
    ===========  =========================================================================

    The support moves by a cos ωt. With one mode this is the impact oscillator. With more modes,
    each impact excites all of them, and one period contains several impacts.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or there are too many modes.
    """
    if p.modes > 2 * p.n:
        raise ValueError(f"parameter 'modes': expected at most 2 n = {2 * p.n}, got {p.modes}")
    x = np.column_stack([np.linspace(0.0, p.L, p.n + 1), np.zeros(p.n + 1)])
    elements = beam(
        x, E=p.E, density=p.rho, area=p.b * p.t, I_z=p.b * p.t**3 / 12.0, places={"tip": p.n}
    )
    strip = reduce(
        elements, p.modes, method="clamped", interface=[0], frame=NodalFrame(0),
        damping_ratio=p.zeta,
    )  # fmt: skip

    def motion(time: float) -> tuple[float, float, float]:
        c, s = p.a * np.cos(p.omega * time), p.a * np.sin(p.omega * time)
        return c, -p.omega * s, -(p.omega**2) * c

    m = Model(name="impacting_beam")
    support = m.add_body("support", mass=1.0, inertia=1.0)
    m.add_joint("shaker", joints.Prismatic((0.0, 1.0)), m.ground, support, motion=motion)
    body = m.add_elastic_body("strip", strip)
    m.add_joint("clamp", joints.Fixed(), support, body)
    # The material of the stop is on the left of a line in the direction -x.
    stop = support.contour("stop", geometry.Line((0.0, -p.gap), (-1.0, 0.0)))
    m.add_contact(stop, body.contour("tip", geometry.Point(), at="tip"), ContactLaw(e_N=p.e_N),
                  "stop")  # fmt: skip
    return m.build(period=2.0 * np.pi / p.omega)
