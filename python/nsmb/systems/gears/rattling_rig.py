"""The test rig for one-stage rattling: section 12.1.5 of Pfeiffer & Glocker, fig. 12.11."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.gears.rattling_scene import meshes_scene
from nsmb.solution.solution import Solution
from nsmb.system import Force, Harmonic, LinearSystem, State
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, data_of, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["RattlingRigParameters", "RigMotions", "rattling_rig"]

Vector = NDArray[np.float64]

_RANGE = "chosen: within the printed range"
_FIGURE = "fig. 12.3, within the printed range"
_SIZE = "chosen: size of a desk; the book gives none"
_OMEGA = 2.0 * math.pi * 20.0  # rad/s
_INERTIA, _BASE, _PLAY = 1.6e-3, 0.06, 3e-3


@dataclass(frozen=True, kw_only=True)
class RattlingRigParameters(Parameters):
    """Data of the rig; the book prints its ranges, and fig. 12.3 the restitution.

    The default values correspond to α = 1.4, β = γ = 0.1 of :func:`gear_rattling`, and a = 9e-3 to
    α = 3, the strange attractor of fig. 12.6.
    """

    a: float = parameter(4.2e-3, "m", "amplitude of the stops, 0 to 9 mm", f"{_RANGE}: α = 1.4")
    f: float = parameter(20.0, "Hz", "their frequency, 0 to 50 Hz", _RANGE, positive=True)
    v: float = parameter(_PLAY, "m", "backlash, 0 to 7 mm", _RANGE, positive=True)
    d: float = parameter(
        0.1 * _INERTIA * _OMEGA, "N m s", "eddy-current brake, 0 to 0.1 N m s/rad",
        f"derived: β = d/(I ω) = 0.1 of {_FIGURE}",
    )  # fmt: skip
    T: float = parameter(
        0.1 * _INERTIA * _OMEGA**2 * _PLAY / _BASE, "N m",
        "moment of the spring at φ = 0, 0 to 0.5 N m",
        f"derived: γ = T r/(I ω² v) = 0.1 of {_FIGURE}",
    )  # fmt: skip
    c: float = parameter(
        0.0, "N m/rad", "stiffness of the spring", "derived: (12.14) has a constant moment"
    )
    I: float = parameter(_INERTIA, "kg m²", "wheel with its tooth", _SIZE, positive=True)
    r: float = parameter(_BASE, "m", "base radius of the involute tooth", _SIZE, positive=True)
    e: float = parameter(0.9, "-", "restitution of tooth and stops", "printed: fig. 12.3")


# ten revolutions of the eccentric
@parametric(RattlingRigParameters, recommended=Recommended(t_end=0.5))
def rattling_rig(p: RattlingRigParameters) -> LinearSystem:
    """Test rig of one-stage rattling with one involute tooth between two vibrating stops (12.1.5).

    ===========  =========================================================================
    coordinates  ``s``, clearance between tooth and driving stop, in [-v, 0] (m)
    contacts     ``driving`` stop at s = 0, ``driven`` stop at s = -v
    period       1/f, a revolution of the eccentric
    source       Pfeiffer & Glocker, section 12.1.5, fig. 12.11; start chosen
    ===========  =========================================================================

    The eccentric moves the stops by a sin 2πft, the wheel rotates by φ = (a sin 2πft - s)/r, and I
    φ̈ + d φ̇ + T + c φ = 0 between impacts. This is a single stage of a gearbox, large enough to be
    observed. `rattling_rig.motions` returns the quantities measured on the rig.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    for name, value in (("d", p.d), ("c", p.c)):
        if value < 0.0:
            raise ValueError(f"parameter {name!r}: expected a number >= 0, got {value:g}")
    omega = 2.0 * math.pi * p.f
    stop = ContactLaw(e_N=p.e)
    # (12.11) times I: I s̈ + d ṡ + c s = I ë + d ė + c e + T r with e = a sin ωt
    system = LinearSystem(
        [[p.I]],
        [[p.c]],
        [[p.d]],
        force=Force(
            constant=[p.T * p.r],
            harmonics=[
                Harmonic([p.a * (p.c - p.I * omega**2)], omega, -0.5 * math.pi),
                Harmonic([p.a * p.d * omega], omega),
            ],
        ),
        contacts=[
            Contact(w_N=[-1.0], law=stop, name="driving"),
            Contact(w_N=[1.0], gap=p.v, law=stop, name="driven"),
        ],
        coordinates=["s"],
        coordinate_units=["m"],
        initial_state=State(0.0, np.array([-0.5 * p.v]), np.zeros(1)),
    )
    system.scene = meshes_scene(["tooth"], [p.v])
    return system


@dataclass(frozen=True, eq=False)
class RigMotions:
    """Quantities measured on the rig, fig. 12.12, arrays of shape (n,)."""

    t: Vector
    """Times, s."""
    driving: Vector
    """Position of the driving stop, a sin 2πft, m."""
    driven: Vector
    """Position of the driven stop, above the driving stop by the backlash, m."""
    tooth: Vector
    """Position r φ of the tooth between the stops, m."""


@rattling_rig.evaluation
def motions(solution: Solution) -> RigMotions:
    """Return the motions of the stops and the tooth at the samples of a run.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    p = data_of(RattlingRigParameters, "a rattling_rig", "solution.system", solution.system)
    t = np.asarray(solution.t, dtype=np.float64)
    driving = p.a * np.sin(2.0 * math.pi * p.f * t)
    return RigMotions(t, driving, driving + p.v, driving - solution.q[:, 0])
