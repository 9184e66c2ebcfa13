"""Mean values of gear rattling (12.19)-(12.31)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb.systems import gear_rattling, gearbox_two_stage
from tests.support.draws import numbers


# Entries are proportional to e and lose digits near the smallest numbers.
@given(
    st.just(0.0) | numbers(1e-9, 0.95),
    numbers(0.01, 20.0),
    numbers(0.2, 5.0),
    numbers(0.2, 5.0),
)
def test_correlations_are_the_polynomials_of_the_book(
    e: float, x: float, i_1: float, i_2: float
) -> None:
    """(12.30), (12.31) hold with f_i, g_i from a solution by hand for J_1 = 0."""
    J_2, speed = 0.37, 3.0
    means = gearbox_two_stage.means(
        J_2, e, inertia=(2.0, 2.0 * x * i_2**2), i_1=i_1, i_2=i_2, speed=speed
    )
    f = (1.0 - e) ** 2 + 2.0 * x * (1.0 + e**2)
    g_1 = (1.0 + e) * ((1.0 - e) ** 2 + 2.0 * x)
    f_1 = (1.0 + e) * ((1.0 - e) ** 2 + 2.0 * e**2 * x)
    both = (1.0 + e) * (1.0 + e**2)
    for C, first, mixed in (
        (means.C_1, g_1, -e * (1.0 + e)),
        (means.C_2, f_1, 1.0 + e),
    ):
        size = speed**2 * J_2 / f
        expected = np.array(
            [
                [first / (i_1**2 * (1.0 - e)), mixed / (i_1**2 * i_2)],
                [mixed / (i_1**2 * i_2), both / (i_1**2 * i_2**2 * (1.0 - e))],
            ]
        )
        np.testing.assert_allclose(C, size * expected, rtol=1e-9)
    assert (means.mu == 0.0).all()


@given(numbers(0.0, 0.95), numbers(0.05, 5.0), numbers(-0.5, 0.5))
def test_means_are_those_of_the_drive(e: float, x: float, J_1: float) -> None:
    """(12.29) holds with det A = ε², tr A = (x (1 + ε²) - 2 ε)/(1 + x)."""
    means = gearbox_two_stage.means(
        0.5, e, inertia=(1.0, 4.0 * x), i_1=3.0, i_2=2.0, speed=7.0, J_1=J_1
    )
    np.testing.assert_allclose(means.mu, 7.0 * J_1 * np.array([1 / 3, 1 / 6]), atol=1e-12)
    A = means.U_2 @ means.U_1
    assert np.linalg.det(A) == pytest.approx(e**2, abs=1e-12)
    assert np.trace(A) == pytest.approx((x * (1 + e**2) - 2 * e) / (1 + x), abs=1e-12)
    np.testing.assert_allclose(means.U_1 @ means.mu + means.zeta * J_1, means.mu, atol=1e-12)


def test_correlations_are_those_of_random_phases() -> None:
    """(12.25)-(12.28) hold with independent random phases, also for nonzero J_1."""
    rng = np.random.default_rng(7)
    n = 400_000
    cosine = np.cos(rng.choice([0.3, 1.2, 2.0], size=(60, n)))
    J_1, J_2 = np.cos([0.3, 1.2, 2.0]).mean(), (np.cos([0.3, 1.2, 2.0]) ** 2).mean()
    means = gearbox_two_stage.means(
        J_2, 0.6, inertia=(1.0, 2.0), i_1=1.5, i_2=0.8, speed=2.0, J_1=J_1
    )
    behind = np.zeros((2, n))
    for row in cosine:
        first = means.U_1 @ behind + means.zeta[:, None] * row
        behind = means.U_2 @ first
    # Five standard errors, which are below 3e-3 of the largest entry.
    for found, C in ((first @ first.T / n, means.C_1), (behind @ behind.T / n, means.C_2)):
        np.testing.assert_allclose(found, C, rtol=0, atol=0.015 * np.abs(C).max())
    np.testing.assert_allclose(behind.mean(axis=1), means.mu, rtol=0, atol=0.015)


def test_a_second_stage_without_inertia_leaves_the_first_alone() -> None:
    """For x -> 0 the entry of the first wheel is (12.23)."""
    means = gearbox_two_stage.means(0.4, 0.5, inertia=(1.0, 1e-12))
    one = gear_rattling.second_moment(0.4, 0.5)
    assert means.C_1[0, 0] == pytest.approx(one, rel=1e-10)
    assert means.C_2[0, 0] == pytest.approx(one, rel=1e-10)


@given(numbers(0.0, 1.0), st.integers(0, 30), numbers(0.0, 3.0))
def test_second_moment_follows_its_recursion(e: float, steps: int, m_20: float) -> None:
    """The recursion (12.22) is m' = ε² m + (1 + ε)² α² J_2."""
    m = m_20
    for _ in range(steps):
        m = e**2 * m + (1.0 + e) ** 2 * 1.7**2 * 0.4
    found = gear_rattling.second_moment(0.4, e, alpha=1.7, steps=steps, m_20=m_20)
    assert found == pytest.approx(m, rel=1e-12)


def test_second_moment_holds_where_the_book_says() -> None:
    """(12.23) and the exact undamped map at α = 1 agree at ε = 0.4, 0.5, but not at 0.9."""
    m_2, J_2 = {}, {}
    for e in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        moments = []
        for phase in (0.3, 1.9):
            run = gear_rattling.impact_map(1.0, 0.0, 0.0, e).iterate(phase, -0.5, 0.1, 8000)
            assert run.status == "finished"
            phi_dot = np.cos(run.tau) - run.s_dot_plus
            moments.append([np.mean(phi_dot[200:] ** 2), np.mean(np.cos(run.tau[200:]) ** 2)])
        m_2[e], J_2[e] = np.mean(moments, axis=0)
    theory = {e: gear_rattling.second_moment(J_2[e], e) for e in m_2}
    assert theory[0.5] == pytest.approx(m_2[0.5], rel=0.12)
    assert theory[0.9] > 4.0 * m_2[0.9]
    # Nearly constant below 0.8; spec 4.5: 0.84, 0.83, 0.87, 0.90, 0.91, 1.04.
    np.testing.assert_allclose(
        list(m_2.values()), [0.84, 0.83, 0.87, 0.90, 0.91, 1.04], rtol=0, atol=0.05
    )


def test_second_moment_is_exact_with_the_term_it_drops() -> None:
    """m' = ε² m + (1 + ε)² α² J_2 - 2 ε (1 + ε) α E[φ̇ cos τ] holds for any series of impacts."""
    e = 0.8
    run = gear_rattling.impact_map(1.0, 0.0, 0.0, e).iterate(0.3, -0.5, 0.1, 3000)
    cosine = np.cos(run.tau)
    phi_dot = cosine - run.s_dot_plus
    m, cos_next = phi_dot[:-1], cosine[1:]
    right = (
        e**2 * np.mean(m**2)
        + (1.0 + e) ** 2 * np.mean(cos_next**2)
        - 2.0 * e * (1.0 + e) * np.mean(m * cos_next)
    )
    assert np.mean(phi_dot[1:] ** 2) == pytest.approx(right, rel=1e-12)


def test_noise_grows_as_the_book_says() -> None:
    base = gear_rattling.noise(0.5, 2.0, 0.1, 30.0, 1.5)
    assert base == pytest.approx(1.5**2 * 2.0 * 9.0 / 1.5**2, rel=1e-14)
    assert gear_rattling.noise(0.5, 2.0, 0.2, 30.0, 3.0) == pytest.approx(base, rel=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gear_rattling.second_moment(1.2, 0.5), r"J_2: expected a number in \[0, 1\]"),
        (lambda: gear_rattling.second_moment(0.5, 1.0), r"e: expected a number in \[0, 1\)"),
        (
            lambda: gear_rattling.second_moment(0.5, 0.5, steps=-1),
            "steps: expected a whole number",
        ),
        (lambda: gearbox_two_stage.means(0.5, 0.5, i_1=0.0), "i_1: expected numbers > 0"),
        (lambda: gear_rattling.noise(0.5, 1.0, 1.0, 1.0, 0.0), "ratio: expected a number other"),
    ],
)
def test_misuse_is_named(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
