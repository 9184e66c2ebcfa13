"""The energy balance of runs: closed forms, and detection of removed energy."""

import numpy as np
import pytest

import nsmb
from nsmb import joints

G = 9.81


def parts(balance):
    """Return the change of T + V + elements according to the balance."""
    return (
        balance.work
        + balance.drive_work
        - balance.friction_loss
        - balance.impact_loss
        - balance.element_loss
        + balance.residual
    )


@pytest.mark.parametrize("integrator", ["linear_flow", "dp853", "cvode"])
def test_damped_and_driven_oscillator_accounts_for_every_joule(integrator):
    m, d, k, F, w = 2.0, 0.4, 50.0, 3.0, 4.0
    system = nsmb.LinearSystem(
        [[m]], K=[[k]], D=[[d]], force=nsmb.Force(harmonics=[nsmb.Harmonic([F], w)])
    )
    rtol = None if integrator == "linear_flow" else 1e-9
    method = nsmb.EventDriven(integrator=integrator, rtol=rtol)
    sol = nsmb.simulate(system, 5.0, q=[0.1], u=[0.0], method=method)
    e = sol.energy
    tolerance = 1e-5 if integrator == "cvode" else 1e-8
    assert e.kinetic == pytest.approx(0.5 * m * sol.u[:, 0] ** 2)
    # Work of damper and load by a fine quadrature of the samples' own motion.
    t = np.linspace(0.0, 5.0, 200_001)
    motion = sol.at(t)
    u = motion.u[:, 0]
    power = F * np.cos(w * t) * u - d * u**2
    done = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    spring = 0.5 * k * (sol.q[:, 0] ** 2 - 0.01)
    forces = e.work - (e.potential - e.potential[0]) + spring
    assert forces == pytest.approx(np.interp(sol.t, t, done), abs=1e-6)
    assert np.abs(e.residual).max() < tolerance
    assert e.relative < tolerance
    assert e.total - e.total[0] == pytest.approx(parts(e), abs=1e-12)


@pytest.mark.parametrize("law", ["relaxing_wall", "gap_damper"])
def test_a_damper_on_a_moving_support_accounts_for_every_joule(law):
    """From t = 0.5 s the support pushes, with a force that depends on both velocities."""
    element = nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(80.0, 3.0, law), gap=0.1, w_tilde=-0.2)
    system = nsmb.LinearSystem([[2.0]], elements=[element])
    sol = nsmb.simulate(system, 2.0, q=[0.0], u=[0.0])
    e = sol.energy
    assert sol.u[-1, 0] > 0.1
    assert e.relative < 1e-8


def test_ball_loses_its_energy_in_impacts():
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 2.0)
    e = sol.energy
    assert np.abs(e.residual).max() < 1e-10
    assert e.impact_loss[-1] == pytest.approx(sol.stats["impact_loss"])
    assert e.total[0] - e.total[-1] == pytest.approx(e.impact_loss[-1])
    # Both sides of the first impact.
    first = int(np.flatnonzero(sol.t == sol.events.t[0])[0])
    assert e.impact_loss[first] == 0.0
    assert e.impact_loss[first + 1] == pytest.approx(sol.events.energy_loss[0])


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
def test_belt_does_the_work_that_friction_takes(integrator):
    belt = nsmb.Contact(
        w_N=[0, 1], w_T=[1, 0], w_tilde_T=-0.5, law=nsmb.ContactLaw(mu=0.3), name="belt"
    )
    system = nsmb.LinearSystem(
        np.diag([2.0, 2.0]), K=np.diag([30.0, 0.0]), force=[0.0, -2.0 * G], contacts=[belt]
    )
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    sol = nsmb.simulate(system, 6.0, method=method)
    e = sol.energy
    assert "stick" in sol.events.kinds or "slip" in sol.events.kinds
    assert e.friction_loss[-1] > 0.1
    assert e.drive_work[-1] == pytest.approx(sol.stats["drive_work"])
    # Before the block first sticks, the belt pulls with mu m g all the time.
    first = sol.t < sol.events.t[0]
    assert e.drive_work[first] == pytest.approx(0.3 * 2 * G * 0.5 * sol.t[first], rel=1e-8)
    assert np.abs(e.residual).max() < 1e-8 * e.turnover[-1]


def test_driven_constraint_puts_energy_in():
    drive = nsmb.Constraint(
        lambda t, q: q[0] - 0.1 * np.sin(3.0 * t),
        w=lambda t, q: [1.0, 0.0],
        w_bar=lambda t, q, u: 0.9 * np.sin(3.0 * t),
        name="drive",
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.diag([2.0, 1.0]),
        forces=lambda t, q, u: [0.0, -5.0 * q[1]],
        constraints=[drive],
        initial_state=nsmb.State(0.0, np.array([0.0, 0.3]), np.array([0.3, 0.0])),
    )
    sol = nsmb.simulate(system, 2.0, rtol=1e-9)
    T = 0.5 * 2.0 * (0.3 * np.cos(3.0 * sol.t)) ** 2
    assert sol.energy.drive_work == pytest.approx(T - T[0], abs=1e-6)
    assert sol.energy.relative < 1e-6


@pytest.mark.parametrize(
    "name", ["woodpecker", "woodpecker_4dof", "slider_crank", "gear_rattling", "spring_damper_wall",
             "percussion_drill", "rocking_rod", "sliding_rod"]
)  # fmt: skip
def test_ready_made_systems_keep_their_books(name):
    system = nsmb.systems.build(name)
    sol = nsmb.simulate(system, 0.3, throw=False, rtol=1e-9)
    # The tolerance of the integrator, over thousands of steps.
    assert sol.energy.relative < 1e-6


def test_spatial_bodies_with_gyroscopic_forces_keep_their_books():
    m = nsmb.Model(gravity=(0, 0, -G))
    top = m.add_body("top", mass=1.0, inertia=(0.01, 0.01, 0.02), center=(0, 0, 0.1))
    m.add_joint("ball", joints.Spherical(), m.ground, top)
    system = m.build()
    start = system.initial_state
    sol = nsmb.simulate(system, 1.0, q=start.q, u=[1.0, 0.5, 60.0], rtol=1e-9)
    e = sol.energy
    assert np.ptp(e.total) < 1e-6 * e.turnover[0]
    assert np.abs(e.work).max() < 1e-6 * e.turnover[-1]
    assert e.relative < 1e-6


def test_balance_is_kept_in_files(tmp_path):
    system = nsmb.LinearSystem([[1.0]], K=[[4.0]])
    sol = nsmb.simulate(system, 1.0, q=[1.0], u=[0.0])
    before = sol.energy
    for suffix in (".npz", ".h5"):
        sol.save(tmp_path / f"run{suffix}")
        again = nsmb.Solution.load(tmp_path / f"run{suffix}")
        with pytest.raises(ValueError, match=r"Set solution\.system"):
            _ = again.system
        for column in ("kinetic", "potential", "residual", "turnover"):
            assert getattr(again.energy, column).tolist() == getattr(before, column).tolist()
    other = nsmb.simulate(system, 1.0, q=[1.0], u=[0.0])
    other.save(tmp_path / "other.npz")
    with pytest.raises(ValueError, match=r"Set solution\.system to the system"):
        _ = nsmb.Solution.load(tmp_path / "other.npz").energy


def test_without_dense_output_works_are_not_known():
    method = nsmb.EventDriven(dense_output=False)
    e = nsmb.simulate(nsmb.systems.woodpecker(), 0.2, method=method).energy
    assert np.isfinite(e.kinetic).all()
    assert np.isnan(e.residual).all()
    assert e.relative == 0.0


def test_energy_that_disappears_is_a_warning():
    # Its w_bar is wrong, so that the projection of velocities removes the gain of the motion.
    rail = nsmb.Constraint(
        lambda t, q: q[0] ** 2 + q[1] ** 2 - 1.0,
        w=lambda t, q: 2.0 * q,
        w_bar=lambda t, q, u: 0.0,
        name="rail",
    )
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.eye(2),
        forces=lambda t, q, u: [0.0, -G],
        constraints=[rail],
        initial_state=nsmb.State(0.0, np.array([1.0, 0.0]), np.zeros(2)),
    )
    method = nsmb.EventDriven(integrator="arkode_fehlberg78", rtol=1e-6, max_step=0.01)
    with pytest.warns(nsmb.EnergyBalanceWarning, match="rail"):
        sol = nsmb.simulate(system, 1.0, method=method, throw=False)
    assert sol.energy.relative > 1e-3


def test_table_is_readable():
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0)
    text = repr(sol.energy)
    assert "impact_loss" in text
    assert "turned over" in text
    frame = sol.energy.to_dataframe()
    assert list(frame.columns)[:3] == ["t", "kinetic", "potential"]
    assert len(frame) == sol.t.size
