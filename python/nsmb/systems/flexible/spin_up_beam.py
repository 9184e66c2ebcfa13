"""A beam on a hub during run-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.flexible import FiniteElements, FlexibleBody, NodalFrame, beam
from nsmb.flexible.eigen import held_modes
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["SpinUpBeamParameters", "spin_up_beam"]

Array = NDArray[np.float64]
_SOURCE = (
    "Simo & Vu-Quoc, J. Appl. Mech. 53 (1986) 855, spin-up manoeuvre; after Kane, Ryan & Banerjee"
)
_CHOSEN = "chosen: tip within 1e-3 of more of them"


@dataclass(frozen=True, kw_only=True)
class SpinUpBeamParameters(Parameters):
    """Data of beam and run-up."""

    L: float = parameter(10.0, "m", "length", _SOURCE, positive=True)
    EA: float = parameter(2.8e7, "N", "stiffness against stretch", _SOURCE, positive=True)
    EI: float = parameter(1.4e4, "N m²", "stiffness against bending", _SOURCE, positive=True)
    rho_A: float = parameter(1.2, "kg/m", "mass of a length", _SOURCE, positive=True)
    rho_I: float = parameter(6e-4, "kg m", "turning inertia of a length", _SOURCE, positive=True)
    omega: float = parameter(6.0, "rad/s", "speed at the end of the run-up", _SOURCE)
    T: float = parameter(15.0, "s", "time of the run-up", _SOURCE, positive=True)
    n: int = parameter(20, "1", "elements", _CHOSEN, positive=True)
    bending: int = parameter(4, "1", "modes of bending that are kept", _CHOSEN, positive=True)
    stretching: int = parameter(2, "1", "modes of stretch that are kept", _CHOSEN, positive=True)
    stiffening: int | str = parameter(
        "on", "1", "whether forces along the beam stiffen it", _SOURCE, choices=("on", "off")
    )


@parametric(SpinUpBeamParameters, recommended=Recommended(t_end=20.0))
def spin_up_beam(p: SpinUpBeamParameters) -> MultibodySystem:
    """Elastic beam on a hub that is accelerated to a constant speed.

    ===========  =========================================================================
    coordinates  ``beam.q1``, ... (m): amplitudes of modes of the beam clamped at the hub,
                 bending modes first, normalised to a largest displacement of 1
    motion       of the hub: θ̇ = ω/T (t - T/2π sin(2πt/T)) up to T, then ω
    source       Simo & Vu-Quoc (1986), *On the dynamics of flexible beams under large
                 overall motions*, II; data and manoeuvre after Kane, Ryan & Banerjee (1987)
    ===========  =========================================================================

    The tip lags while the hub accelerates, returns, and vibrates about the straight stretched beam,
    which is `spin_up_beam.stretch` longer than at rest. Without geometric stiffening, the speed of
    the hub exceeds the lowest frequency of the beam, and the deflection of the tip diverges. This
    is the result of linear strains in a rotating frame. The output ``beam.tip`` is the tip.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or there are too many modes.
    """
    for name, most in (("bending", 2 * p.n), ("stretching", p.n)):
        if getattr(p, name) > most:
            raise ValueError(
                f"parameter {name!r}: expected at most {most} with n = {p.n} elements, got "
                f"{getattr(p, name)}"
            )
    # Stiffness and mass per length are independent of this area.
    area = p.rho_A * p.EI / (p.rho_I * p.EA)
    x = np.column_stack([np.linspace(0.0, p.L, p.n + 1), np.zeros(p.n + 1)])
    elements = beam(
        x,
        E=p.EA / area,
        density=p.rho_A / area,
        area=area,
        I_z=p.EI * area / p.EA,
        places={"tip": p.n},
    )
    elastic = FlexibleBody.from_elements(
        elements,
        np.hstack([_modes(elements, [1, 2], p.bending), _modes(elements, [0], p.stretching)]),
        frame=NodalFrame(0),
        stiffening=p.choice("stiffening") == "on",
    )
    m = Model(name="spin_up_beam")
    body = m.add_elastic_body("beam", elastic)
    m.add_joint("hub", joints.Revolute(), m.ground, body, motion=_run_up(p.omega, p.T))
    body.marker("tip", at="tip", is_output=True)
    return m.build()


@spin_up_beam.evaluation
def stretch(**parameters: float) -> float:
    """Return the elongation ρA ω² L³/(3 EA) of the beam at its final speed, m.

    It is 5.14e-4 m with the data of the source.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    p = from_keywords(SpinUpBeamParameters, parameters)
    return float(p.rho_A * p.omega**2 * p.L**3 / (3.0 * p.EA))


def _run_up(omega: float, T: float) -> Callable[[float], tuple[float, float, float]]:
    c = 2.0 * np.pi / T

    def theta(t: float) -> tuple[float, float, float]:
        if t >= T:
            return omega * (t - 0.5 * T), omega, 0.0
        return (
            omega / T * (0.5 * t**2 + (np.cos(c * t) - 1.0) / c**2),
            omega / T * (t - np.sin(c * t) / c),
            omega / T * (1.0 - np.cos(c * t)),
        )

    return theta


def _modes(elements: FiniteElements, directions: list[int], count: int) -> Array:
    """Return modes of the clamped beam in the given directions only, shape (N, count)."""
    n = len(elements.nodes)
    free = (3 * np.arange(1, n)[:, None] + directions).ravel()
    modes = held_modes(
        elements.stiffness_matrix, elements.mass_matrix, free, count, elements.rigid_motions
    )
    moves = elements.displacements(modes)[:, :2].sum(axis=1)  # along one direction each
    return np.asarray(modes * np.sign(moves[-1]) / np.abs(moves).max(axis=0))
