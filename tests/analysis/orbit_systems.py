"""Systems whose periodic orbits have a closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

import nsmb
from nsmb import symbolic


def oscillator(**changes: float) -> nsmb.LinearSystem:
    """Return the oscillator ẍ + d ẋ + k x = F cos ωt."""
    p = {"d": 0.2, "k": 2.0, "F": 1.0, "omega": 1.3} | changes
    return nsmb.LinearSystem(
        [[1.0]],
        [[p["k"]]],
        [[p["d"]]],
        force=nsmb.Force(harmonics=[nsmb.Harmonic([p["F"]], p["omega"])]),
        coordinates=["x"],
        name="oscillator",
        parameters=p,
        rebuild=oscillator,
    )


def response(p: dict[str, float] | Any, t: float) -> tuple[float, float]:
    """Return x and ẋ of the steady response of `oscillator`."""
    amplitude = p["F"] / (p["k"] - p["omega"] ** 2 + 1j * p["d"] * p["omega"])
    turned = amplitude * np.exp(1j * p["omega"] * t)
    return float(turned.real), float((1j * p["omega"] * turned).real)


def rings(**changes: float) -> nsmb.System:
    """Return ṙ = r (μ + r² - r⁴), rotating with ω, and a separate damped oscillator z.

    Limit cycles at r² = (1 ± √(1 + 4μ))/2 have the multiplier exp(2π/ω · 2 r² (1 - 2 r²)) and meet
    at μ = -1/4.
    """
    z = symbolic.coordinates("z")
    a, b = symbolic.states("a b")
    p: Any = symbolic.parameters(**({"mu": 0.5, "omega": 2.0} | changes))
    r2 = a**2 + b**2
    growth = p.mu + r2 - r2**2
    return symbolic.LagrangianSystem(
        [z],
        symbolic.velocities(z) ** 2 / 2,
        z**2 / 2,
        {z: -symbolic.velocities(z)},
        states={a: growth * a - p.omega * b, b: growth * b + p.omega * a},
        parameters=p,
        initial={z: 0.1, a: 1.2, b: 0.0},
        name="rings",
    )


def block(**changes: float) -> nsmb.LinearSystem:
    """Return a block on a tilted floor or a belt with a spring and speed-dependent friction."""
    p = {"mu": 0.3, "mu_d": 0.3, "v_s": 0.5, "k": 200.0, "d": 0.0, "tilt": 0.0, "v": 0.0} | changes
    curve = None if p["mu_d"] == p["mu"] else nsmb.Stribeck(p["mu_d"], p["v_s"])
    law = nsmb.ContactLaw(mu=p["mu"], curve=curve)
    weight = 2.0 * 9.81
    return nsmb.LinearSystem(
        2.0 * np.eye(2),
        np.diag([p["k"], 0.0]),
        np.diag([p["d"], 0.0]),
        force=[weight * np.sin(p["tilt"]), -weight * np.cos(p["tilt"])],
        contacts=[nsmb.Contact(w_N=[0, 1], w_T=[1, 0], w_tilde_T=-p["v"], law=law, name="floor")],
        coordinates=["x", "y"],
        coordinate_units=["m", "m"],
        initial_state=nsmb.State(0.0, np.array([0.01, 0.0]), np.zeros(2)),
        name="block",
        parameters=p,
        rebuild=block,
    )
