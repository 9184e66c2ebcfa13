"""All quantities that determine a motion in one call, against the separate functions."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import systems

SYSTEMS = [
    systems.woodpecker(),
    systems.gear_rattling(),
    systems.woodpecker_4dof(),
    systems.rod_on_obstacles(),
    systems.slider_crank(),
]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_tables_hold_every_quantity_at_every_place(system: nsmb.System) -> None:
    rng = np.random.default_rng(7)
    start = system.initial_state
    y_0 = np.concatenate([start.q, start.u, start.x])
    t = start.t + np.array([0.0, 0.31, 0.77])
    y = y_0 + 1e-3 * rng.standard_normal((t.size, y_0.size))
    tables = system._core.equations(t, y)
    for k in range(t.size):
        q, u, x = np.split(y[k], [system.nq, system.nq + system.nu])
        expected = [system.mass_matrix(t[k], q), system.forces(t[k], q, u, x)]
        if system._core.nx_own:
            expected.append(system.state_rates(t[k], q, u, x))
        if system.nc:
            found = system.contact_kinematics(t[k], q, u)
            names = ("W_N", "W_T", "g_N", "w_tilde_N", "w_tilde_T", "w_bar_N", "w_bar_T", "bound")
            expected += [found[name] for name in names]
        if system.ne:
            found = system.element_kinematics(t[k], q)
            expected += [found[name] for name in ("W", "gamma", "w_tilde")]
        if system.nb:
            found = system.constraint_kinematics(t[k], q, u)
            expected += [found[name] for name in ("W", "g", "w_tilde", "w_bar")]
        assert len(tables) == len(expected)
        for table, values in zip(tables, expected, strict=True):
            np.testing.assert_array_equal(table[k], np.ravel(values, order="F"))


def test_places_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match=r"y: expected shape"):
        systems.woodpecker()._core.equations(np.zeros(2), np.zeros((3, 6)))
