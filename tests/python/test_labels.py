"""One record names the columns of solutions, events, derivatives and tables."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import nsmb


@pytest.fixture(scope="module")
def toy() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.woodpecker(), 0.2, sensitivity=True)


def tumbling() -> nsmb.System:
    """Return a free body with nq = 7, nu = 6."""
    model = nsmb.Model()
    body = model.add_body("b", mass=1.0, inertia=1.0)
    model.add_joint("free", nsmb.joints.Free(), model.ground, body)
    return model.build()


def test_solution_events_derivative_and_tables_carry_the_record_of_the_system(
    toy: nsmb.Solution,
) -> None:
    labels = nsmb.systems.woodpecker().labels
    assert toy.labels == toy.events.labels == labels
    assert toy.sensitivity is not None
    assert toy.sensitivity.labels == labels
    assert toy.sensitivity.names == nsmb.systems.woodpecker().labels.components
    frame = toy.to_dataframe()
    assert tuple(frame.columns[1:7]) == labels.components
    assert f"{labels.velocities[0]}_minus" in toy.events.to_dataframe().columns


def test_velocities_that_are_no_rates_have_the_names_of_the_model() -> None:
    labels = tumbling().labels
    assert labels.velocities == (
        "free.x_dot", "free.y_dot", "free.z_dot", "free.omega_x", "free.omega_y", "free.omega_z",
    )  # fmt: skip
    assert labels.velocity_units == ("m/s",) * 3 + ("rad/s",) * 3
    assert labels.component("free.omega_y") == 11
    assert labels.component("free.y_dot") == 8


def test_a_coordinate_called_like_a_rate_takes_no_name_away() -> None:
    system = nsmb.LinearSystem(np.eye(2), coordinates=["x", "x_dot"], coordinate_units=["m", ""])
    assert len(set(system.labels.components)) == 4
    assert system.labels.component("x_dot") == 1
    assert system.labels.component("u:x") == 2


def test_a_name_that_is_nearly_right_is_suggested(toy: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="did you mean 'phi_S_dot'"):
        toy.labels.component("phi_Sdot")
    with pytest.raises(ValueError, match="did you mean 'beak'"):
        toy.events.at_contact("beek")


def test_generalized_speeds_are_named_by_their_symbols() -> None:
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    import sympy

    from nsmb import symbolic

    q, w = mechanics.dynamicsymbols("q w")
    m = sympy.Symbol("m")
    N = mechanics.ReferenceFrame("N")
    P = mechanics.Point("P")
    P.set_vel(N, w / 2 * N.x)
    kane = mechanics.KanesMethod(N, [q], [w], kd_eqs=[q.diff() - w / 2])
    kane.kanes_equations([mechanics.Particle("p", P, m)], [(P, -q * N.x)])
    system = symbolic.from_mechanics(kane, {m: 1.0})
    assert system.labels.velocities == ("w",)
    assert pickle.loads(pickle.dumps(system)).labels == system.labels


def test_files_keep_names_and_units(toy: nsmb.Solution, tmp_path: Path) -> None:
    toy.save(tmp_path / "toy.npz")
    assert nsmb.Solution.load(tmp_path / "toy.npz").labels == toy.labels
    assert pickle.loads(pickle.dumps(toy)).labels == toy.labels
