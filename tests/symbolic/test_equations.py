"""Systems given by M and h."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import sympy

import nsmb
from nsmb import symbolic

phi, r = symbolic.coordinates("phi r")
omega, v = symbolic.velocities(phi, r)


def pendulum(**options: object) -> nsmb.System:
    """Return an elastic pendulum in polar coordinates."""
    p = symbolic.parameters(m=0.7, c=40.0, l=0.5, g=9.81)
    M = sympy.diag(p.m * r**2, p.m)
    h = [
        -2 * p.m * r * v * omega - p.m * p.g * r * sympy.sin(phi),
        p.m * r * omega**2 + p.m * p.g * sympy.cos(phi) - p.c * (r - p.l),
    ]
    floor = nsmb.Contact(gap=0.9 - r * sympy.cos(phi), law=nsmb.ContactLaw(e_N=0.5), name="floor")
    V = p.c / 2 * (r - p.l) ** 2 - p.m * p.g * r * sympy.cos(phi)
    start = {phi: 1.2, r: 0.6}
    return symbolic.from_equations(
        [phi, r], M, h, [floor], potential=V, parameters=p, initial=start, **options
    )


def test_equations_give_the_motion_of_the_energies() -> None:
    p = symbolic.parameters(m=0.7, c=40.0, l=0.5, g=9.81)
    V = p.c / 2 * (r - p.l) ** 2 - p.m * p.g * r * sympy.cos(phi)
    energies = symbolic.LagrangianSystem(
        [phi, r],
        p.m / 2 * (v**2 + r**2 * omega**2),
        V,
        contacts=[
            nsmb.Contact(gap=0.9 - r * sympy.cos(phi), law=nsmb.ContactLaw(e_N=0.5), name="floor")
        ],
        parameters=p,
        initial={phi: 1.2, r: 0.6},
    )
    runs = [nsmb.simulate(s, 3.0, rtol=1e-11) for s in (pendulum(), energies)]
    assert runs[0].events.kinds == runs[1].events.kinds
    assert "impact" in runs[0].events.kinds
    # Measured: 1e-9 after the impacts of 3 s.
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-7)
    assert pendulum().potential_energy(0.0, [0.3, 0.6]) == energies.potential_energy(
        0.0, [0.3, 0.6]
    )


def test_values_change_without_deriving_again() -> None:
    heavy = pendulum().with_parameters(m=1.4)
    np.testing.assert_allclose(heavy.mass_matrix(0.0, [0.0, 0.5]), [[0.35, 0.0], [0.0, 1.4]])


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"mass_matrix: expected shape \(2, 2\), got \(1, 1\)"):
        symbolic.from_equations([phi, r], [[1]], [0, 0])
    with pytest.raises(ValueError, match="forces: expected 2 expressions, got 1"):
        symbolic.from_equations([phi, r], sympy.eye(2), [0])
