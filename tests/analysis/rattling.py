"""One-stage gear rattling in normalised form, (12.14): s̈ + βṡ = ë + βė + γ, e = α sin τ."""

from __future__ import annotations

import numpy as np

import nsmb


def rattling(
    alpha: float = 1.0, beta: float = 0.1, gamma: float = 0.1, epsilon: float = 0.9
) -> nsmb.System:
    law = nsmb.UnilateralContact(e_N=epsilon)
    wave = nsmb.Harmonic([alpha * np.hypot(1.0, beta)], 1.0, np.arctan2(1.0, beta))
    values = {"alpha": alpha, "beta": beta, "gamma": gamma, "epsilon": epsilon}
    return nsmb.LinearSystem(
        [[1.0]],
        D=[[beta]],
        force=nsmb.Force(constant=[gamma], harmonics=[wave]),  # ë + βė = α(β cos τ - sin τ)
        contacts=[
            nsmb.LinearContact([-1.0], law=law, name="driving"),
            nsmb.LinearContact([1.0], gap=1.0, law=law, name="back"),
        ],
        coordinates=["s"],
        initial_state=nsmb.State(0.0, np.array([-0.5]), np.array([0.2])),
        name="rattling",
        parameters=values,
        rebuild=rattling,
    )
