"""Small systems with closed-form motion, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np

import nsmb

METHODS = (
    "auto",
    "dp853",
    "arkode_fehlberg78",
    "arkode_verner56",
    "arkode_dormand_prince45",
    "cvode",
)


def block(force: nsmb.Force, mu: float = 0.5, velocity: float = 0.0) -> nsmb.System:
    """Unit mass on a floor; weight and other forces in `force`, x to the right, y up."""
    floor = nsmb.Contact(
        w_N=[0.0, 1.0], w_T=[1.0, 0.0], gap=0.0, law=nsmb.ContactLaw(mu=mu), name="floor"
    )
    return nsmb.LinearSystem(
        np.eye(2),
        force=force,
        contacts=[floor],
        coordinates=["x", "y"],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([velocity, 0.0])),
    )


def oscillator(gap: float, e_N: float = 1.0) -> nsmb.System:
    """Oscillator x'' + x = 0 from x = 1 at rest, with a stop at x = -gap.

    x = cos t before contact.
    """
    stop = nsmb.Contact(w_N=[1.0], gap=gap, law=nsmb.ContactLaw(e_N=e_N), name="stop")
    return nsmb.LinearSystem(
        [[1.0]],
        [[1.0]],
        contacts=[stop],
        coordinates=["x"],
        initial_state=nsmb.State(0.0, np.array([1.0]), np.array([0.0])),
    )


def sliding_rod(mu: float, angle: float) -> nsmb.System:
    """Rod of half length 1 that slides right on its lower end, frozen at `angle` (5.26)-(5.29)."""
    tip = nsmb.Contact(
        w_N=[0.0, 1.0, -np.cos(angle)],
        w_T=[1.0, 0.0, -np.sin(angle)],
        gap=0.0,
        law=nsmb.ContactLaw(mu=mu),
        name="tip",
    )
    return nsmb.LinearSystem(
        np.diag([1.0, 1.0, 1.0 / 3.0]),
        force=[0.0, -10.0, 0.0],
        contacts=[tip],
        coordinates=["x", "y", "phi"],
        initial_state=nsmb.State(0.0, np.zeros(3), np.array([1.0, 0.0, 0.0])),
    )


def table(feet: int, seed: int) -> nsmb.System:
    """Shaken board on several feet in a row.

    Two normal rows and one tangential row are independent, the other 2 feet - 3 rows are not.
    """
    rng = np.random.default_rng(seed)
    contacts = [
        nsmb.Contact(
            w_N=[0.0, 1.0, float(x)],
            w_T=[1.0, 0.0, 0.4],
            gap=0.0,
            law=nsmb.ContactLaw(mu=float(rng.uniform(0.2, 0.8))),
            name=f"foot_{i}",
        )
        for i, x in enumerate(np.linspace(-0.5, 0.5, feet))
    ]
    return nsmb.LinearSystem(
        np.diag([2.0, 2.0, 0.3]),
        force=nsmb.Force(
            constant=[0.0, -20.0, 0.0],
            harmonics=[nsmb.Harmonic([15.0, 4.0, 1.0], 5.0), nsmb.Harmonic([0.0, 25.0, 0.0], 13.0)],
        ),
        contacts=contacts,
        coordinates=["x", "y", "phi"],
    )
