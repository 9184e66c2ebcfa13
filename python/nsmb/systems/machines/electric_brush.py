"""An electric brush on a rough commutator: Fig. 14 of Slavič & Boltežar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.multibody import Model, joints
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["ElectricBrushParameters", "electric_brush"]

_POINTS = 48  # contact points between brush and commutator at once


@dataclass(frozen=True, kw_only=True)
class ElectricBrushParameters(Parameters):
    """Data of brush, guide and commutator; the paper has a figure but no numbers."""

    # chosen: a small universal motor with a new commutator
    R: float = parameter(12.5e-3, "m", "radius of the commutator", "chosen", positive=True)
    points: int = parameter(2400, "-", "corners of its polygon", "chosen", positive=True)
    bars: int = parameter(24, "-", "number of its bars", "chosen", positive=True)
    runout: float = parameter(5e-6, "m", "its eccentricity", "chosen")
    step: float = parameter(2e-6, "m", "bars are up to this much higher or lower", "chosen")
    rough: float = parameter(0.5e-6, "m", "roughness of its surface, root mean square", "chosen")
    wave: float = parameter(0.2e-3, "m", "correlation length of the roughness", "chosen")
    seed: int = parameter(1, "-", "seed of the random numbers for bars and roughness", "chosen")
    # chosen: at this speed it is mostly in contact, at five times this speed mostly not
    speed: float = parameter(600.0, "1/min", "speed of the commutator", "chosen")
    # chosen: slow enough that the brush sticks to the surface until it touches the guide
    ramp: float = parameter(
        5e-3, "s", "how long the run-up from rest takes", "chosen", positive=True
    )
    # chosen: carbon, 10 mm thick, 1.6 g/cm³
    w: float = parameter(6.3e-3, "m", "width of the brush", "chosen", positive=True)
    l: float = parameter(20e-3, "m", "length of the brush", "chosen", positive=True)
    m: float = parameter(2.0e-3, "kg", "mass of the brush", "chosen", positive=True)
    # chosen: a pressure of 40 kPa
    F: float = parameter(2.5, "N", "force of its spring on a round commutator", "chosen")
    k: float = parameter(100.0, "N/m", "stiffness of the spring", "chosen", least=0.0)
    play: float = parameter(0.1e-3, "m", "clearance in the guide, each side", "chosen")
    guide: float = parameter(12e-3, "m", "length of the guide", "chosen", positive=True)
    overhang: float = parameter(2e-3, "m", "from guide to commutator", "chosen", positive=True)
    # chosen: carbon on copper and on brass
    mu: float = parameter(0.2, "-", "friction coefficient on the commutator", "chosen")
    mu_guide: float = parameter(0.2, "-", "friction coefficient in the guide", "chosen")
    e_N: float = parameter(0.3, "-", "normal restitution on the commutator", "chosen")
    e_guide: float = parameter(0.2, "-", "normal restitution in the guide", "chosen")
    g: float = parameter(9.81, "m/s²", "gravity", "chosen")


# reduces about a thousand impacts per millisecond, most of them tiny, to about a hundred
_METHOD = EventDriven(impact_law="poisson", rest_velocity=1e-6)


@parametric(ElectricBrushParameters, recommended=Recommended(_METHOD, 0.01))
def electric_brush(p: ElectricBrushParameters) -> System:
    """Brush in a guide, pressed against the polygonal contour of a rough rotating commutator.

    ===========  =========================================================================
    coordinates  ``brush.x``, ``brush.y`` of the middle of its face (m), ``brush.phi`` (rad)
    contacts     ``commutator[i]``, ``left[i]``, ``right[i]``: brush and commutator, brush
                 and either wall of the guide
    source       Slavič & Boltežar, Fig. 14: sliding, sticking and impacts against commutator
                 and guide; all numbers chosen
    ===========  =========================================================================

    The commutator rotates about the origin, and its surface moves to the left under the brush.
    After a smooth run-up the speed is constant. The surface radius is R + run-out + height of the
    bar + roughness at the corners of a polygon. The number of corners is part of the model, because
    it limits the slope of the steps between bars. The face of the brush is flat, as for a new
    brush. Initially everything is at rest, with the brush upright in the middle of the guide and on
    the highest corner under its face.

    There are about a thousand impacts per millisecond, most of them tiny; `System.recommended` has
    ``rest_velocity=1e-6``, which leaves a hundred.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0.0, -p.g), name="electric_brush")
    rotor = m.add_body("commutator")
    m.add_joint("shaft", joints.Revolute(), m.ground, rotor, motion=_run_up(p))
    inertia = p.m * (p.w**2 + p.l**2) / 12.0
    brush = m.add_body("brush", mass=p.m, inertia=inertia, center=(0.0, 0.5 * p.l))
    m.add_joint("brush", joints.Planar(), m.ground, brush)
    m.add_spring_damper(
        "spring",
        m.ground,
        brush,
        c=p.k,
        free_length=0.5 * p.l,
        preload=p.F,
        sign="pressure",
        at=(0.0, p.R + 1.5 * p.l),
        at_2=(0.0, p.l),
    )
    half = 0.5 * p.w
    box = geometry.Polygon([(-half, 0.0), (half, 0.0), (half, p.l), (-half, p.l)])
    outline = brush.contour("outline", box)
    corners = _surface(p)
    surface = rotor.contour("surface", geometry.Polygon(corners))
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    # Many corners are nearly as high as the highest one; more points make updates less frequent.
    m.add_contact(outline, surface, law, "commutator", points=_POINTS, skin=p.play)
    under = (corners[:, 1] > 0.0) & (np.abs(corners[:, 0]) <= half)
    low, high = p.R + p.overhang, p.R + p.overhang + p.guide
    side = half + p.play
    law = ContactLaw(mu=p.mu_guide, e_N=p.e_guide)
    for name, start, end in (
        ("left", (-side, low), (-side, high)),
        ("right", (side, high), (side, low)),
    ):
        wall = m.ground.contour(name, geometry.Segment(start, end))
        m.add_contact(outline, wall, law, name)
    return m.build(
        initial={"brush.y": corners[under, 1].max()},
    )


def _run_up(p: ElectricBrushParameters) -> list[tuple[float, Polynomial]]:
    """Return the angle of the commutator (rad); ω grows as 3 τ² - 2 τ³ up to τ = 1."""
    omega = 2.0 * np.pi * p.speed / 60.0
    rise = Polynomial([0.0, 0.0, 0.0, omega / p.ramp**2, -0.5 * omega / p.ramp**3])
    return [(0.0, rise), (p.ramp, Polynomial([-0.5 * omega * p.ramp, omega]))]


def _surface(p: ElectricBrushParameters) -> NDArray[np.float64]:
    """Return the corners of the commutator, counter-clockwise, shape (points, 2), m."""
    angle = 2.0 * np.pi * np.arange(p.points) / p.points
    rng = np.random.default_rng(p.seed)
    bar = rng.uniform(-p.step, p.step, p.bars)[np.arange(p.points) * p.bars // p.points]
    noise = rng.normal(size=p.points)
    # Gaussian correlation exp(-(s/wave)²): its spectrum is the square of this filter.
    waves = np.fft.rfftfreq(p.points, 1.0 / p.points) / p.R
    smooth = np.fft.irfft(np.fft.rfft(noise) * np.exp(-((waves * p.wave) ** 2) / 8.0), p.points)
    smooth *= p.rough / smooth.std()
    r = p.R + p.runout * np.cos(angle) + bar + smooth
    return np.column_stack([r * np.cos(angle), r * np.sin(angle)])
