"""The expansion phase of an impact, defined by the user."""

from __future__ import annotations

import numpy as np

import nsmb

G = 9.81


def rod_on_three_feet(q: np.ndarray, u: np.ndarray) -> nsmb.System:
    """Dependent contacts, of which the middle one has another coefficient."""
    contacts = [
        nsmb.Contact(
            w_N=[0.0, 1.0, x],
            w_T=[1.0, 0.0, 0.1],
            law=nsmb.ContactLaw(mu=mu, e_N=0.5, e_T=0.3, nu=0.4),
            name=name,
        )
        for name, x, mu in (("left", -0.5, 0.5), ("right", 0.5, 0.5), ("middle", 0.0, 0.3))
    ]
    return nsmb.LinearSystem(
        np.diag([1.0, 1.0, 0.1]),
        force=[0.0, -G, 0.0],
        contacts=contacts,
        initial_state=nsmb.State(0.0, q, u),
    )


def test_expansion_hook_that_returns_nothing_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    calls = finished = 0

    def silent(compression: nsmb.results.Compression) -> dict[str, np.ndarray]:
        nonlocal calls
        calls += 1
        return {}

    for _ in range(30):
        system = rod_on_three_feet(np.array([0.0, 0.5, 0.3 * rng.normal()]), rng.normal(0, 1, 3))
        plain, hooked = (
            nsmb.simulate(
                system,
                2.0,
                throw=False,
                output_step=0,
                method=nsmb.EventDriven(impact_law="poisson", expansion=hook, max_events=3000),
            )
            for hook in (None, silent)
        )
        assert hooked.status == plain.status
        assert hooked.events.kinds == plain.events.kinds
        np.testing.assert_allclose(hooked.events.t, plain.events.t, rtol=1e-12)
        np.testing.assert_allclose(hooked.q[-1], plain.q[-1], atol=1e-12)
        np.testing.assert_allclose(hooked.u[-1], plain.u[-1], atol=1e-12)
        finished += plain.status == "finished"
    assert calls > 300
    assert finished > 20
