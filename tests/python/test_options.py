"""Options of `nsmb.EventDriven` that affect contacts, as seen by users."""

from typing import Any

import numpy as np
import pytest

import nsmb


def jammed(**options: Any) -> nsmb.Solution:
    """Return a run of a slowly rotating Painlevé rod at 60° without solution (5.35)."""
    rod = nsmb.systems.sliding_rod(phi=np.radians(60.0), omega=1.0)
    return nsmb.simulate(rod, 0.02, method=nsmb.EventDriven(**options), throw=False)


def test_a_jammed_rod_stops_the_run_unless_told_otherwise() -> None:
    assert jammed().status == "no_contact_solution"
    assert "on_inconsistent" in jammed().message


def test_an_impact_without_collision_ends_the_slip_of_a_jammed_rod() -> None:
    sol = jammed(on_inconsistent="impact")
    assert sol.status == "finished"
    assert sol.stats["impacts_without_collision"] == 1
    hit = sol.events[0]
    assert (hit.t, hit.kind) == (0.0, nsmb.EventKind.IMPACT)
    assert sol.system is not None
    before, after = (
        sol.system.contact_quantities(0.0, hit.q, u) for u in (hit.u_minus, hit.u_plus)
    )
    assert abs(before["gamma_N"][0]) < 1e-12  # nothing collides
    assert before["gamma_T"][0] == pytest.approx(5.0)
    assert abs(after["gamma_T"][0]) < 5.0
    assert hit.Lambda_N[0] > 0.0
    assert hit.energy_loss > 0.0


@pytest.mark.parametrize("check", [False, True])
def test_uniqueness_is_looked_for_only_if_asked(check: bool) -> None:
    """At 60° and with fast rotation the rod may slide or take off."""
    rod = nsmb.systems.sliding_rod(phi=np.radians(60.0), omega=np.sqrt(20.0))
    sol = nsmb.simulate(rod, 0.0, method=nsmb.EventDriven(check_uniqueness=check), throw=False)
    assert sol.stats["nonunique_problems"] == int(check)


def test_a_unique_motion_is_not_counted() -> None:
    method = nsmb.EventDriven(check_uniqueness=True)
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method)
    assert sol.stats["nonunique_problems"] == 0


def test_expansion_may_depend_on_the_compression() -> None:
    """With e_N = 1/2 above 3 N s, otherwise 1, the ball halves its speed until it is slow."""
    seen: list[nsmb.results.Compression] = []

    def soften(compression: nsmb.results.Compression) -> dict[str, Any]:
        seen.append(compression)
        return {"e_N": np.where(compression.Lambda_NC > 3.0, 0.5, 1.0)}

    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.9), name="floor")
    ball = nsmb.LinearSystem([[2.0]], force=[-20.0], contacts=[floor])
    sol = nsmb.simulate(
        ball, 2.0, q=[0.2], method=nsmb.EventDriven(impact_law="poisson", expansion=soften)
    )
    hits = sol.events.of_kind("impact")
    speeds = -hits.u_minus[:, 0]
    np.testing.assert_allclose(speeds[:3], [2.0, 1.0, 1.0], rtol=1e-12)  # 4 N s, 2 N s, 2 N s
    np.testing.assert_allclose(hits.u_plus[:, 0], np.where(speeds > 1.5, 0.5, 1.0) * speeds)
    assert len(seen) == len(hits)
    assert seen[0].contact_names == ("floor",)
    np.testing.assert_allclose([c.Lambda_NC[0] for c in seen], 2.0 * speeds, rtol=1e-12)
    np.testing.assert_allclose([c.gamma_NC[0] for c in seen], 0.0, atol=1e-14)
    np.testing.assert_array_equal(seen[0].e_N, [0.9])
    assert seen[0].Lambda_TC.shape == seen[0].gamma_TC.shape == (1,)


def test_what_expansion_leaves_out_stays_as_the_contacts_have_it() -> None:
    ball = nsmb.systems.bouncing_ball()
    kept = nsmb.simulate(
        ball, 1.0, method=nsmb.EventDriven(impact_law="poisson", expansion=lambda c: {})
    )
    plain = nsmb.simulate(ball, 1.0, method=nsmb.EventDriven(impact_law="poisson"))
    np.testing.assert_array_equal(kept.events.u_plus, plain.events.u_plus)


def test_an_expansion_that_raises_comes_out_unchanged() -> None:
    def trouble(compression: nsmb.results.Compression) -> dict[str, Any]:
        raise LookupError("no data")

    method = nsmb.EventDriven(impact_law="poisson", expansion=trouble)
    with pytest.raises(LookupError, match="no data") as caught:
        nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method)
    assert caught.value.solution.status == "system_error"  # type: ignore[attr-defined]


def test_moreau_bounces_like_poisson_without_friction() -> None:
    ball = nsmb.systems.bouncing_ball()
    method = nsmb.EventDriven(impact_law="moreau")
    a, b = nsmb.simulate(ball, 2.0, method=method), nsmb.simulate(ball, 2.0)
    np.testing.assert_allclose(a.events.t, b.events.t, rtol=1e-12)


def test_sliding_compression_changes_nothing_where_compression_is_unique() -> None:
    """The toy's impacts continue to slide, stick in compression, or reverse."""
    toy = nsmb.systems.woodpecker(mu=0.9)
    runs = [
        nsmb.simulate(
            toy, 1.0, method=nsmb.EventDriven(impact_law="poisson", sliding_compression=option)
        )
        for option in (False, True)
    ]
    assert runs[0].events.kinds == runs[1].events.kinds
    assert {"impact", "stick"} <= set(runs[0].events.kinds)
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, atol=1e-10)
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-10)
