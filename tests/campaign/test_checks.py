"""The checks of the campaign find errors, and its cases match their scripts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.campaign import lagrange, step_check
from tests.campaign.case import FAMILIES, Case
from tests.campaign.check import check
from tests.campaign.energies import TEMPLATES
from tests.campaign.findings import Findings
from tests.campaign.runner import Limits, Outcome, make, run_all, run_case
from tests.campaign.tampered import plus, tampered


def run_of(case: Case) -> nsmb.Solution:
    sol: nsmb.Solution = case.run()
    return sol


# Seeds of correct runs with impacts, sliding and sticking, by family.
GREEN = {"linear": 43, "energies": 0, "bodies": 14, "spatial": 0}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_case_follows_from_family_and_seed_and_from_its_script(family: str) -> None:
    case, again = make(family, GREEN[family]), make(family, GREEN[family])
    assert case.script() == again.script()
    assert case.script() != make(family, GREEN[family] + 1).script()
    scope: dict[str, Any] = {"print": lambda *_: None}
    exec(case.script(), scope)
    assert scope["sol"].events.t.tobytes() == run_of(case).events.t.tobytes()


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[Case, nsmb.Solution]]:
    cases = {family: make(family, seed) for family, seed in GREEN.items()}
    return {family: (case, run_of(case)) for family, case in cases.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_right_run_passes(family: str, runs: dict[str, tuple[Case, nsmb.Solution]]) -> None:
    case, sol = runs[family]
    assert sol.success
    assert not check(case, sol), "\n".join(map(str, check(case, sol)))


@pytest.mark.parametrize(
    ("family", "what", "changes"),
    [
        ("linear", "penetration", {"coefficients": lambda c: c - 1e-3}),
        ("linear", "force outside the cone", {"coefficients": lambda c: 1.001 * c}),
        ("linear", "negative normal force", {"lambda_N": lambda x: -x}),
        ("linear", "force of an open contact", {"lambda_N": plus(1e-3, 0)}),
        ("linear", "friction beyond its bound", {"lambda_T": plus(1.0)}),
        ("linear", "impact: jump", {"event_u_plus": plus(1e-5, 3)}),
        ("linear", "impact: impulse pulls", {"event_Lambda_N": lambda x: -x}),
        ("linear", "impact: energy_loss of the log", {"event_energy_loss": plus(1e-4, 3)}),
        ("linear", "impact: compression (8.87)", {"event_Lambda_NC": lambda x: 0.99 * x}),
        ("linear", "log: gap between states", {"event_state_minus": plus(1, 3)}),
        ("linear", "log: velocity before", {"event_u_minus": plus(1e-4, 3)}),
        ("linear", "log: place", {"event_q": plus(1e-4, 3)}),
        ("linear", "log: last states", {"contact_state": plus(1)}),
        ("linear", "energy balance", {"friction_loss": plus(1.0)}),
        ("bodies", "penetration of g-b", {"coefficients": lambda c: c - 1e-3}),
        ("bodies", "force outside the cone of what touches", {"coefficients": lambda c: 1.01 * c}),
        ("bodies", "impact ends in approach", {"event_u_plus": lambda u: -u}),
        ("bodies", "energy balance", {"y": plus(1e-2)}),
        ("energies", "force outside the cone", {"coefficients": lambda c: 1.01 * c}),
        ("energies", "energy balance", {"y": plus(1e-2)}),
        ("spatial", "force outside the cone", {"coefficients": lambda c: 1.01 * c}),
    ],
)
def test_what_was_tampered_with_is_found(
    family: str,
    what: str,
    changes: dict[str, Callable[[Any], Any]],
    runs: dict[str, tuple[Case, nsmb.Solution]],
) -> None:
    case, sol = runs[family]
    found = [str(finding) for finding in check(case, tampered(sol, **changes))]
    assert any(text.startswith(what) for text in found), found


def test_boxes_within_each_other_are_found_though_no_corner_is_inside() -> None:
    """All corners of a cross of two long boxes lie outside the other box."""
    from tests.campaign import shapes
    from tests.campaign.bodies import box

    flat, upright = box(1.0, 0.1), box(0.1, 1.0)
    here = np.zeros(3)
    assert shapes.penetration(flat, here[None], upright, here[None])[0] < 0.0
    assert shapes.crossing(flat, here, upright, here) == pytest.approx(0.01)


def test_distances_of_discs_polygons_and_half_planes() -> None:
    from tests.campaign import shapes
    from tests.campaign.bodies import box

    square, at = box(2.0, 2.0), np.array([[3.0, 0.5, 0.0]])
    origin = np.zeros((1, 3))
    assert shapes.penetration(square, origin, 0.5, at)[0] == pytest.approx(-1.5)
    assert shapes.penetration(square, origin, 2.5, at)[0] == pytest.approx(0.5)
    assert shapes.penetration(1.0, origin, 0.5, at)[0] == pytest.approx(1.5 - np.hypot(3, 0.5))
    ground = {"point": (0.0, 0.0), "normal": (0.0, 1.0)}
    assert shapes.penetration(ground, None, square, at)[0] == pytest.approx(0.5)
    assert shapes.penetration(ground, None, 0.5, at)[0] == pytest.approx(0.0)


@pytest.mark.parametrize("number", range(len(TEMPLATES)), ids=lambda k: TEMPLATES[k].name)
def test_both_derivations_of_a_template_agree(number: int) -> None:
    """Mass matrix, forces and contact rows of nsmb equal those of SymPy at random states."""
    template = TEMPLATES[number]
    scope: dict[str, Any] = {"np": np, "nsmb": nsmb}
    exec(template.preamble(), scope)
    system = scope["template"]
    reference = lagrange.Lagrangian(
        {"template": number, "parameters": {**template.parameters, "mu": 0.3, "e": 0.5}}
    )
    rng = np.random.default_rng(number)
    for _ in range(3):
        q, u = rng.uniform(-1, 1, (2, system.nq))
        M = reference.mass(np.zeros(1), q[None])[0]
        np.testing.assert_allclose(M, system.mass_matrix(0.0, q), rtol=0, atol=1e-12)
        # d(M u)/dt = M u̇ + Ṁ u, with Ṁ by differences along the motion.
        h = 1e-6
        ahead, behind = (reference.mass(np.zeros(1), (q + s * h * u)[None])[0] for s in (1, -1))
        rate = system.forces(0.0, q, u) + (ahead - behind) @ u / (2.0 * h)
        own = reference.momentum_rate(np.zeros(1), q[None], u[None])[0]
        np.testing.assert_allclose(own, rate, rtol=0, atol=1e-7 * (1.0 + np.abs(rate).max()))
        rows, theirs = reference.rows(np.zeros(1), q[None]), system.contact_quantities(0.0, q, u)
        np.testing.assert_allclose(rows.g[0], theirs["g_N"], atol=1e-12)
        np.testing.assert_allclose(rows.normal(u[None])[0], theirs["gamma_N"], atol=1e-11)
        np.testing.assert_allclose(rows.tangential(u[None])[0, :, 0], theirs["gamma_T"], atol=1e-11)


def stand_still(family: str, seed: int) -> Outcome:
    while seed == 1:
        pass
    return Outcome(family, seed, "finished")


def test_a_process_that_does_not_come_back_is_a_hang() -> None:
    """A second worker takes over after the first was killed."""
    jobs = [("linear", seed) for seed in range(3)]
    outcomes = run_all(jobs, 1, run=stand_still, limits=Limits(cpu=1))
    statuses = {outcome.seed: outcome.status for outcome in outcomes}
    assert statuses == {0: "finished", 1: "hang", 2: "finished"}


def test_an_error_of_a_check_is_an_outcome_of_its_own() -> None:
    outcome = run_case("nothing", 0)
    assert outcome.status == "error"
    assert outcome.is_wrong
    assert "nothing" in outcome.message


STEPPED = 18  # a stack of boxes with contacts that stick, slide, strike and detach


@pytest.fixture(scope="module")
def stepped_run() -> tuple[Case, Any, step_check.Record]:
    case = make("stepped", STEPPED)
    system = case.system()
    return case, system, step_check.record(case, system)


@pytest.mark.parametrize(
    ("what", "name", "change"),
    [
        ("momentum", "force", lambda x: 1.001 * x),
        ("momentum", "point", lambda x: x + 1e-3),
        ("laws of contact", "state", lambda x: 1 - np.sign(x)),
        ("penetration", "g_N", lambda x: x - 1.0),
    ],
)
def test_a_table_of_contacts_that_was_tampered_with_is_found(
    what: str, name: str, change: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch,
    stepped_run: tuple[Case, Any, step_check.Record],
) -> None:  # fmt: skip
    case, system, run = stepped_run
    if what.startswith("laws"):  # a case with restitution, which closed contacts do not have
        case = make("stepped", RESTITUTION)
        system = case.system()
        run = step_check.record(case, system)
    false = dataclasses.replace(run, table=run.table | {name: change(run.table[name])})
    monkeypatch.setattr(step_check, "record", lambda *_: false)
    found = Findings()
    step_check.check_stepped(case, system, found, [])
    assert any(f.what.startswith(what) for f in found), "\n".join(map(str, found))


RESTITUTION = 14  # a bouncing pile


@pytest.mark.parametrize("family", ["surfaces", "schemes", "solids"])
def test_a_motion_that_is_not_that_of_its_events_is_found(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make(family, 1)
    plain = Case.run

    def faster(self: Case, *args: Any, **changes: Any) -> Any:
        sol = plain(self, *args, **changes)
        exact = self.method_type == "EventDriven"
        return tampered(sol, coefficients=lambda c: 1.05 * c) if exact else sol

    monkeypatch.setattr(Case, "run", faster)
    assert run_case(family, 1).findings
    assert case.family == family
