"""Newton's cradle by all impact laws, with touching balls and with small gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import newtons_cradle

Array = NDArray[np.float64]
LAWS = ("newton", "poisson", "moreau")


def swing(law: str, t_end: float, **changes: Any) -> nsmb.Solution:
    method = nsmb.EventDriven(impact_law=law, rtol=1e-11)  # type: ignore[arg-type]
    return nsmb.simulate(newtons_cradle(**changes), t_end, method=method)


def before(changes: dict[str, Any]) -> float:
    """Return the speed of released balls at the bottom in m/s.

    ½ (m l² + 2/5 m R²) φ̇² = m g l (1 - cos φ).
    """
    p = newtons_cradle(**changes).parameters
    inertia = p["l"] ** 2 + 0.4 * p["R"] ** 2
    return float(p["l"] * np.sqrt(2.0 * p["g"] * p["l"] * (1.0 - np.cos(p["phi"])) / inertia))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("n", "k", "e"), [(5, 1, 1.0), (5, 1, 0.6), (5, 2, 1.0), (3, 1, 0.0), (2, 1, 0.8), (6, 3, 1.0)]
)
def test_balls_that_touch_leave_together_by_each_law(law: str, n: int, k: int, e: float) -> None:
    """Momentum is conserved, and released and hit balls separate with e times the approach.

    The toy, which has gaps, behaves like this for k = n/2 only.
    """
    changes = {"n": n, "k": k, "e_N": e, "gap": 0.0}
    v = before(changes)
    hit = swing(law, 0.3, **changes).events.of_kind("impact")[0]
    velocities = 0.12 * hit.u_plus
    np.testing.assert_allclose(velocities.sum(), k * v, rtol=1e-9)
    np.testing.assert_allclose(velocities[k:] - velocities[0], e * v, atol=1e-9 * v)
    np.testing.assert_allclose(velocities, newtons_cradle.velocities(**changes), atol=1e-9 * v)
    kept = np.sum(velocities**2) / (k * v**2)
    np.testing.assert_allclose(kept, 1.0 - (1.0 - e**2) * (n - k) / n, rtol=1e-9)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [1.0, 0.9, 0.5])
def test_a_small_gap_makes_a_wave_by_each_law(law: str, e: float) -> None:
    """Impacts occur one by one, for which all laws agree.

    The last ball leaves alone with ((1 + e)/2)^4 of the velocity. The effect of gravity is of order
    gap/l.
    """
    changes = {"e_N": e}
    hits = swing(law, 0.3, **changes).events.of_kind("impact")
    first = [name for row in range(4) for name in hits[row].contacts]
    assert first == ["1-2", "2-3", "3-4", "4-5"]
    v = before(changes)
    velocities = 0.12 * hits[3].u_plus
    np.testing.assert_allclose(velocities, newtons_cradle.velocities(**changes), atol=2e-6 * v)
    np.testing.assert_allclose(velocities[-1], (0.5 + 0.5 * e) ** 4 * v, rtol=2e-6)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_as_many_leave_as_were_let_go(k: int) -> None:
    """With e = 1 and a gap, the last k move with v after k (n - k) impacts, and the others rest."""
    changes = {"k": k}
    sol = swing("poisson", 0.5, **changes)
    hits = sol.events.of_kind("impact")
    pairs = np.cumsum([len(hit.contacts) for hit in hits])  # several at a time, but not adjacent
    after = 0.12 * hits[int(np.searchsorted(pairs, k * (5 - k)))].u_plus
    v = before(changes)
    np.testing.assert_allclose(after, newtons_cradle.velocities(**changes), atol=1e-5 * v)
    # They rise to the height from which the others fell, without loss.
    assert sol.q[:, -k:].max(axis=0) == pytest.approx(0.6 * np.ones(k), abs=1e-4)
    assert np.ptp(sol.energy.total) < 1e-8 * np.abs(sol.energy.total).max()


def test_balls_in_a_row_on_a_line_have_the_closed_form_with_its_times() -> None:
    """Without gravity, ball j is hit at exactly gap/v (1 + 1/s + ... + 1/s^(j-1)).

    The previous ball crosses its gap with s^(j-1) v, s = (1 + e)/2.
    """
    n, e, gap, v = 6, 0.8, 0.01, 2.0
    law = nsmb.ContactLaw(e_N=e)
    rows = np.eye(n)[1:] - np.eye(n)[:-1]
    contacts = [nsmb.Contact(w_N=row, gap=gap, law=law, name=f"{j}") for j, row in enumerate(rows)]
    start = nsmb.State(0.0, np.zeros(n), v * np.eye(n)[0])
    row_of_balls = nsmb.LinearSystem(np.eye(n), contacts=contacts, initial_state=start)
    share = 0.5 * (1.0 + e)
    for law_name in LAWS:
        method = nsmb.EventDriven(impact_law=law_name)  # type: ignore[arg-type]
        hits = nsmb.simulate(row_of_balls, 0.05, method=method).events.of_kind("impact")
        times = gap / v * np.cumsum(share ** -np.arange(n - 1.0))
        np.testing.assert_allclose(hits.t[: n - 1], times, rtol=1e-12)
        wave = v * share ** np.arange(n)
        wave[:-1] *= 1.0 - share
        np.testing.assert_allclose(hits.u_plus[n - 2], wave, atol=1e-13)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"k: expected one ball where e_N = 0\.9 is below 1, got 2"
    ):
        newtons_cradle.velocities(k=2, e_N=0.9)
    with pytest.raises(ValueError, match="parameter 'k': expected less than n = 5, got 5"):
        newtons_cradle(k=5)
    with pytest.raises(ValueError, match="parameter 'n': expected two balls at least, got 1"):
        newtons_cradle(n=1)
    with pytest.raises(ValueError, match="parameter 'gap': expected a number >= 0, got -1"):
        newtons_cradle(gap=-1.0)
    with pytest.raises(ValueError, match=r"parameter 'l': expected more than R = 0\.0115"):
        newtons_cradle(l=0.01)
