"""A bar that hits a wall and leaves it when its elastic wave has returned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb import geometry
from nsmb.flexible import FiniteElements, FlexibleBody, MeanAxes, NodalFrame, beam
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, from_keywords, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["ImpactingBarParameters", "impacting_bar"]

Array = NDArray[np.float64]
_BENCHMARK = "chosen: d'Alembert's solution is known"
_CHOSEN = "chosen: duration and rebound within one per cent"


@dataclass(frozen=True, kw_only=True)
class ImpactingBarParameters(Parameters):
    """Data of bar and flight."""

    L: float = parameter(1.0, "m", "length", _BENCHMARK, positive=True)
    E: float = parameter(1e6, "Pa", "Young's modulus; steel has 2.1e11", _BENCHMARK, positive=True)
    rho: float = parameter(1000.0, "kg/m³", "density; steel has 7850", _BENCHMARK, positive=True)
    A: float = parameter(1e-4, "m²", "area of the cross-section", _BENCHMARK, positive=True)
    gap: float = parameter(5e-3, "m", "to the wall at the start", _BENCHMARK)
    v: float = parameter(1.0, "m/s", "velocity towards it", _BENCHMARK)
    n: int = parameter(200, "1", "elements", _CHOSEN, positive=True)
    modes: int = parameter(40, "1", "modes that are kept, at most n", _CHOSEN, positive=True)
    basis: int | str = parameter(
        "craig-bampton", "1", "modes of the bar held at its contact node, or free", _CHOSEN,
        choices=("craig-bampton", "free-free"),
    )  # fmt: skip
    beta: float = parameter(0.0, "s", "damping by stiffness, d_ee = β k_ee", "chosen: none")
    e_N: float = parameter(0.0, "-", "normal restitution of the node", "chosen: of the bar, not it")


@parametric(ImpactingBarParameters, recommended=Recommended(t_end=0.1))
def impacting_bar(p: ImpactingBarParameters) -> MultibodySystem:
    """Elastic bar that hits a wall.

    ===========  =========================================================================
    coordinates  ``slide`` (m), displacement of the frame to the right, at the contact node or
                 with mean axes; ``bar.q1``, ... (m): amplitudes of axial modes, normalised to
                 a largest displacement of 1
    contact      ``wall``: the left end
    source       d'Alembert solution of the wave equation
    ===========  =========================================================================

    Without restitution at the node, the bar stays at the wall for 2 L/c, c = √(E/ρ), until the wave
    has returned from the free end, and leaves with the speed at which it arrived. Omitted modes
    leave mass at the node, whose momentum is lost at the wall. With the node held, this is the
    fraction Σ 8/(π² (2k-1)²) over the omitted modes k, and twice as much with free modes.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or there are more modes than elements.
    """
    if p.modes > p.n:
        raise ValueError(f"parameter 'modes': expected at most n = {p.n}, got {p.modes}")
    x = np.column_stack([np.linspace(0.0, p.L, p.n + 1), np.zeros(p.n + 1)])
    elements = beam(x, E=p.E, density=p.rho, area=p.A, I_z=p.A**2 / 12.0)
    held = p.choice("basis") == "craig-bampton"
    elastic = FlexibleBody.from_elements(
        elements,
        _axial_modes(elements, p.modes, held),
        frame=NodalFrame(0) if held else MeanAxes(),
        rayleigh=(0.0, p.beta),
    )
    m = Model(name="impacting_bar")
    bar = m.add_elastic_body("bar", elastic)
    m.add_joint("slide", joints.Prismatic(), m.ground, bar)
    # The material of the wall is on the left of an upward line.
    wall = m.ground.contour("wall", geometry.Line((0.0, 0.0), (0.0, 1.0)))
    m.add_contact(wall, bar.contour("end", geometry.Point(), at=0), ContactLaw(e_N=p.e_N), "wall")
    start = p.gap if held else p.gap + 0.5 * p.L
    return m.build(initial={"slide": start}, velocities={"slide": -p.v})


@impacting_bar.evaluation
def duration(**parameters: float) -> float:
    """Return the contact time 2 L/c of an undamped bar by the d'Alembert solution, s.

    Raises
    ------
    ValueError
        If a parameter is unknown.
    """
    p = from_keywords(ImpactingBarParameters, parameters)
    return float(2.0 * p.L * np.sqrt(p.rho / p.E))


def _axial_modes(elements: FiniteElements, count: int, held: bool) -> Array:
    """Return axial modes, free or with the first node held, shape (N, count)."""
    from scipy import linalg

    M, K = (
        matrix[::3, ::3].toarray() for matrix in (elements.mass_matrix, elements.stiffness_matrix)
    )
    shapes = np.zeros((elements.unknowns, count))
    first = 1 if held else 0
    rigid = 1 - first
    _, V = linalg.eigh(
        K[first:, first:], M[first:, first:], subset_by_index=(rigid, rigid + count - 1)
    )
    shapes[3 * first :: 3] = V / np.abs(V).max(axis=0)
    return shapes
