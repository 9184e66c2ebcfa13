"""A coin that rolls on its edge: Euler's disk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsmb import geometry
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.systems._recommended import TWO_SECONDS

__all__ = ["EulerDiskParameters", "euler_disk"]

_TOY = "Moffatt (2000), Nature 404, 833: the toy"
_CHOSEN = "chosen: a slope at which the toy still turns slowly enough to be seen"


@dataclass(frozen=True, kw_only=True)
class EulerDiskParameters(Parameters):
    """Data of the disk."""

    m: float = parameter(0.4, "kg", "mass", _TOY, positive=True)
    R: float = parameter(0.0375, "m", "radius", _TOY, positive=True)
    h: float = parameter(0.0064, "m", "thickness", "chosen: that of steel", positive=True)
    mu: float = parameter(0.5, "-", "friction coefficient", "chosen: it rolls without slip")
    g: float = parameter(9.81, "m/s²", "gravity", _TOY, positive=True)
    alpha: float = parameter(0.5, "rad", "slope of the disk at the start", _CHOSEN, positive=True)


@parametric(EulerDiskParameters, recommended=TWO_SECONDS)
def euler_disk(p: EulerDiskParameters) -> MultibodySystem:
    """Heavy disk that rolls on its rim, with its centre at rest.

    ===========  =========================================================================
    coordinates  ``disk.x``, ``disk.y``, ``disk.z`` (m) and its quaternion
    velocities   of its centre, m/s, and ω along axes fixed in the disk, rad/s
    contacts     ``floor[0]``, ``floor[1]``: the lower and the upper rim
    source       Moffatt (2000), Nature 404, 833
    ===========  =========================================================================

    The start is the steady precession of :func:`euler_disk.precession`, which lasts indefinitely,
    because the model has no dissipation.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, 0, -p.g), name="euler_disk")
    A, C = _moments(p)
    disk = m.add_body("disk", mass=p.m, inertia=(A, A, C))
    m.add_joint("disk", joints.Free(), m.ground, disk)
    m.add_contact(
        m.ground.shape("floor", geometry.HalfSpace()),
        disk.shape("metal", geometry.Cylinder(p.R, p.h)),
        ContactLaw(mu=p.mu),
        name="floor",
    )
    # The axis e_z of the disk leans to +x, where the rim is lowest; ω is along the line from the
    # centre to the contact point, because both are at rest.
    height = p.R * np.sin(p.alpha) + 0.5 * p.h * np.cos(p.alpha)
    rate = precession(**p.__dict__) * np.sin(p.alpha)
    half = 0.5 * p.alpha
    return m.build(
        initial={"disk": (0.0, 0.0, height, np.cos(half), 0.0, np.sin(half), 0.0)},
        velocities={"disk": (0.0, 0.0, 0.0, -rate, 0.0, rate * 0.5 * p.h / p.R)},
    )


def _moments(p: EulerDiskParameters) -> tuple[float, float]:
    return p.m * (p.R**2 / 4.0 + p.h**2 / 12.0), p.m * p.R**2 / 2.0


@euler_disk.evaluation
def precession(**parameters: float) -> float:
    """Return the angular speed of the lowest point for a centre at rest, rad/s.

    Derivation: with the axis a of the disk and the unit vector d from its centre down the slope,
    the contact point is at ρ = R d - h/2 a, and ω is along ρ. ω × a = Ω e_z × a gives ω = -Ω sin α
    (d - h/(2R) a), and Ω e_z × L = ρ × m g e_z gives

        Ω² = m g (R cos α - h/2 sin α) / (A sin α cos α - C h/(2R) sin² α),

    which for a thin disk is Ω² sin α = 4 g/R (Moffatt).

    Raises
    ------
    ValueError
        If a parameter or value is invalid, or no precession is steady at this slope.
    """
    p = from_keywords(EulerDiskParameters, parameters)
    A, C = _moments(p)
    sine, cosine = np.sin(p.alpha), np.cos(p.alpha)
    weight = p.m * p.g * (p.R * cosine - 0.5 * p.h * sine)
    inertia = A * sine * cosine - C * 0.5 * p.h / p.R * sine**2
    if not (weight > 0.0 and inertia > 0.0):
        raise ValueError(
            "alpha: expected a slope with a steady precession, below "
            f"{np.arctan2(2 * p.R, p.h):.4g} and {np.arctan2(2 * p.R * A, p.h * C):.4g} rad, got "
            f"{p.alpha:g}"
        )
    return float(np.sqrt(weight / inertia))
