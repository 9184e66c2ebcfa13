"""Systems from energies agree with those of nsmb.systems in all quantities and events."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.symbolic.examples import EXAMPLES

every_example = pytest.mark.parametrize("build", EXAMPLES, ids=lambda build: build.__name__)


def twin_of(build: Callable[[], Any]) -> nsmb.System:
    return nsmb.systems.build(build.__name__)


@every_example
def test_matrices_forces_and_contacts_are_those_of_the_twin(build: Callable[[], Any]) -> None:
    system, twin = build(), twin_of(build)
    rng = np.random.default_rng(7)
    for _ in range(20):
        t = rng.uniform(0.0, 2.0)
        q = system.initial_state.q + rng.uniform(-0.3, 0.3, system.nq)
        u = rng.uniform(-2.0, 2.0, system.nu)
        found, expected = system.contact_kinematics(t, q, u), twin.contact_kinematics(t, q, u)
        found["M"], expected["M"] = system.mass_matrix(t, q), twin.mass_matrix(t, q)
        found["h"], expected["h"] = system.forces(t, q, u), twin.forces(t, q, u)
        found |= system.element_kinematics(t, q)
        expected |= twin.element_kinematics(t, q)
        for name, value in expected.items():
            # Both have rounding errors of some ten operations on numbers of this size. Measured:
            # 7e-15.
            scale = max(1.0, float(np.abs(value).max(initial=0.0)))
            np.testing.assert_allclose(found[name], value, 0.0, 2e-13 * scale, err_msg=name)
    assert system.contact_names == twin.contact_names
    assert [c.law for c in system.contacts] == [c.law for c in twin.contacts]
    np.testing.assert_allclose(system.initial_state.q, twin.initial_state.q, rtol=1e-15)


# In the excluded ones, the twin's potential includes a given force.
conservative = [
    b for b in EXAMPLES if b.__name__ not in ("parabola_on_line", "stick_slip_oscillator")
]


@pytest.mark.parametrize("build", conservative, ids=lambda build: build.__name__)
def test_potential_energies_differ_by_a_constant(build: Callable[[], Any]) -> None:
    system, twin = build(), twin_of(build)
    q = system.initial_state.q + 0.2
    change = [s.potential_energy(0.0, q) - s.potential_energy(0.0, 0 * q) for s in (system, twin)]
    assert change[0] == pytest.approx(change[1], rel=1e-12)


@every_example
def test_the_first_events_are_those_of_the_twin(build: Callable[[], Any]) -> None:
    system, twin = build(), twin_of(build)
    method = nsmb.EventDriven(rtol=1e-11, on_inconsistent="impact")
    found, expected = (nsmb.simulate(s, 1.5, method=method).events for s in (system, twin))
    count = min(20, len(expected))
    assert found.kinds[:count] == expected.kinds[:count]
    # Errors of two integrations with rtol 1e-11; measured 1e-14.
    np.testing.assert_allclose(found.t[:count], expected.t[:count], rtol=0.0, atol=1e-9)


def test_the_woodpecker_has_twenty_events_and_more() -> None:
    """This ensures that the test above compares events."""
    assert len(nsmb.simulate(nsmb.systems.woodpecker.symbolic(), 1.0).events) > 40


@pytest.mark.parametrize("mu", [0.3, 0.9])
@pytest.mark.parametrize("linear", [None, False])
def test_woodpeckers_from_energies_and_matrices_give_the_same_twenty_events(
    mu: float, linear: bool | None
) -> None:
    system = nsmb.systems.woodpecker.symbolic(linear=linear).with_parameters(mu=mu)
    assert system.is_linear is (linear is None)  # type: ignore[attr-defined]
    method = nsmb.EventDriven(rtol=1e-12)
    found = nsmb.simulate(system, 0.6, method=method).events
    expected = nsmb.simulate(nsmb.systems.woodpecker(mu=mu), 0.6, method=method).events
    assert len(expected) > 20
    assert found.kinds[:20] == expected.kinds[:20]
    # Measured: 5e-14 s, 2e-13 rad.
    np.testing.assert_allclose(found.t[:20], expected.t[:20], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(found.q[:20], expected.q[:20], rtol=0.0, atol=1e-9)


def test_linear_systems_are_found() -> None:
    linear = {build.__name__ for build in EXAMPLES if build().is_linear}
    assert linear == {"woodpecker", "incline_block", "stick_slip_oscillator"}
