"""For many bodies, M, M⁻¹W and G are computed in blocks that follow from the description alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb._core import simulation as core

Floats = NDArray[np.float64]
SEEDS = range(12)
# Sums of up to 12 terms through matrices of condition below 1e3: 2e-13 measured at most.
ROUNDING = 1e-11


def blocks_of_masses(seed: int) -> tuple[nsmb.LinearSystem, Floats]:
    """Return interleaved groups of two to four coordinates.

    Spatial contacts act on one or two groups.
    """
    r = np.random.default_rng(seed)
    sizes = [int(k) for k in r.integers(2, 5, int(r.integers(20, 24)))]
    n = sum(sizes)
    owners = np.split(r.permutation(n), np.cumsum(sizes)[:-1])
    M = np.zeros((n, n))
    for own in owners:
        L = np.eye(own.size) + 0.3 * r.standard_normal((own.size, own.size))
        M[np.ix_(own, own)] = L @ L.T
    contacts = []
    for k in range(2 * len(sizes)):
        on = np.concatenate([owners[j] for j in r.choice(len(sizes), 1 + k % 2, replace=False)])
        rows = np.zeros((3, n))
        rows[:, on] = r.standard_normal((3, on.size))
        law = nsmb.ContactLaw(mu=0.3)
        contacts.append(nsmb.Contact(w_N=rows[0], w_T=rows[1:].T, law=law))
    K = np.diag(r.uniform(1.0, 9.0, n))
    force = nsmb.Force(constant=r.standard_normal(n))
    return nsmb.LinearSystem(M, K, force=force, contacts=contacts), r.standard_normal(n)


def trees_of_bodies(seed: int) -> tuple[nsmb.System, Floats]:
    """Return chains of two or three links above a floor, in which neighbours may touch.

    The links are created in turn, so that the velocities of a chain are not contiguous.
    """
    r = np.random.default_rng(seed)
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    lengths = [int(k) for k in r.integers(2, 4, int(r.integers(10, 13)))]
    ends: list[nsmb.Body | None] = [None] * len(lengths)
    law = nsmb.ContactLaw(mu=0.3)
    initial = {}
    for step in range(3):
        for k in r.permutation(len(lengths)):
            if step >= lengths[k]:
                continue
            name = f"b{k}_{step}"
            body = model.add_body(
                name, mass=float(r.uniform(0.5, 2.0)), inertia=float(r.uniform(0.01, 0.05)),
                center=(float(r.uniform(-0.1, 0.1)), 0.05),
            )  # fmt: skip
            before = ends[k]
            if before is None:
                model.add_joint(f"j{name}", joints.Planar(), model.ground, body)
                initial[f"j{name}"] = (0.6 * k, 0.4, float(r.uniform(-1.0, 1.0)))
            else:
                model.add_joint(f"j{name}", joints.Revolute(), before, body, at=(0.1, 0.02))
                initial[f"j{name}"] = float(r.uniform(-1.0, 1.0))
            disc = body.contour("c", geometry.Circle(0.1))
            model.add_contact(floor, disc, law, name=f"c{name}")
            if step == 0 and k > 0 and ends[k - 1] is not None:
                other = ends[k - 1]
                model.add_contact(
                    other.contour(f"with {name}", geometry.Circle(0.1)), disc, law,
                    name=f"p{name}",
                )  # fmt: skip
            ends[k] = body
    system = model.build(initial=initial)
    return system, np.asarray(system.initial_state.q)


def check(system: nsmb.System, q: Floats, seed: int) -> None:
    """Check the blocks of the core against products of whole matrices."""
    u = np.random.default_rng([seed, 1]).standard_normal(system.nu)
    found = core.delassus(system._core, 0.0, np.concatenate([q, u]))
    assert found["in_blocks"]
    kinematics = system.contact_kinematics(0.0, q, u)
    M, W = system.mass_matrix(0.0, q), found["W"]
    np.testing.assert_array_equal(W, np.hstack([kinematics["W_N"], kinematics["W_T"]]))
    Minv = np.linalg.inv(M)
    h = system.forces(0.0, q, u)
    size = np.abs(W).T @ np.abs(Minv) @ np.abs(W)
    scale = max(1.0, size.max())
    np.testing.assert_allclose(found["Minv_W"], Minv @ W, rtol=0.0, atol=ROUNDING * scale)
    np.testing.assert_allclose(found["G"], W.T @ Minv @ W, rtol=0.0, atol=ROUNDING * scale)
    gamma = np.concatenate([found["gamma_N"], found["gamma_T"]])
    tilde = np.concatenate([kinematics["w_tilde_N"], kinematics["w_tilde_T"]])
    np.testing.assert_allclose(gamma, W.T @ u + tilde, rtol=0.0, atol=ROUNDING * scale)
    free = np.concatenate([found["free_N"], found["free_T"]])
    bar = np.concatenate([kinematics["w_bar_N"], kinematics["w_bar_T"]])
    atol = ROUNDING * scale * max(1.0, np.abs(h).max())
    np.testing.assert_allclose(free, W.T @ Minv @ h + bar, rtol=0.0, atol=atol)
    assert found["kinetic_energy"] == pytest.approx(0.5 * u @ M @ u, rel=1e-12)
    # 64 ulps of the terms: |w|ᵀ |M⁻¹| |M| |u| + |w̃|.
    terms = np.abs(W).T @ np.abs(Minv) @ np.abs(M) @ np.abs(u) + np.abs(tilde)
    eps = np.finfo(float).eps
    np.testing.assert_allclose(
        found["velocity_resolution"], 64.0 * eps * terms, rtol=1e-9, atol=1e-300
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_of_masses_are_those_of_whole_matrices(seed: int) -> None:
    system, q = blocks_of_masses(seed)
    check(system, q, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_of_trees_are_those_of_whole_matrices(seed: int) -> None:
    system, q = trees_of_bodies(seed)
    check(system, q, seed)


def test_small_systems_are_taken_as_a_whole() -> None:
    for name in ("woodpecker", "mass_tower", "superball"):
        system = nsmb.systems.build(name)
        y = np.concatenate([system.initial_state.q, np.zeros(system.nu)])
        assert not core.delassus(system._core, 0.0, y)["in_blocks"]


def two_bodies(joined: str) -> nsmb.System:
    model = nsmb.Model(gravity=(0, -9.81))
    a, b = (model.add_body(name, mass=1.0, inertia=0.1) for name in "ab")
    model.add_joint("ja", joints.Prismatic(), model.ground, a)
    if joined == "tree":
        # The second slide is perpendicular to the first: M is diagonal in every position.
        model.add_joint("jb", joints.Prismatic(), a, b, angle=np.pi / 2)
    else:
        model.add_joint("jb", joints.Planar(), model.ground, b)
    if joined == "loop":
        model.add_loop("loop", joints.Revolute(), a, b)
    if joined == "spring":
        model.add_spring_damper("s", a, b, c=10.0, free_length=1.0)
    floor = model.ground.contour("floor", geometry.Line(point=(0, -1.0)))
    law = nsmb.ContactLaw()
    discs = [
        body.contour("c", geometry.Circle(0.1, center=(float(x), 0.0)))
        for x, body in enumerate((a, b))
    ]
    model.add_contact(floor, discs[1], law, name="floor")
    model.add_contact(*discs, law, name="pair")
    return model.build()


def test_cliques_are_joined_by_joints_and_loops_and_by_no_force() -> None:
    slides, plane = [0], [1, 1, 1]
    assert two_bodies("tree")._core.cliques == ([0, 0], [[0], [0]])
    assert two_bodies("loop")._core.cliques == ([0] * 4, [[0], [0]])
    assert two_bodies("spring")._core.cliques == (slides + plane, [[1], [0, 1]])
    assert two_bodies("nothing")._core.cliques == (slides + plane, [[1], [0, 1]])


def test_cliques_do_not_depend_on_where_bodies_are() -> None:
    """A double pendulum with M diagonal in one position is one clique in all of them."""
    model = nsmb.Model()
    a = model.add_body("a", mass=0.0, inertia=0.2)
    b = model.add_body("b", mass=1.0, inertia=0.0, center=(1.0, 0.0))
    model.add_joint("ja", joints.Revolute(), model.ground, a)
    model.add_joint("jb", joints.Revolute(), a, b, at=(1.0, 0.0))
    system = model.build(initial={"jb": np.pi})
    assert abs(system.mass_matrix(0.0, system.initial_state.q)[0, 1]) < 1e-15
    assert system._core.cliques == ([0, 0], [])


def test_masses_of_a_linear_system_are_joined_by_entries_of_its_mass_matrix() -> None:
    M = np.diag([2.0, 1.0, 3.0])
    M[0, 2] = M[2, 0] = 0.5
    K = np.full((3, 3), 1.0) + np.eye(3)
    law = nsmb.ContactLaw()
    contacts = [nsmb.Contact(w_N=[0, 1, 0], law=law), nsmb.Contact(w_N=[1, -1, 0], law=law)]
    system = nsmb.LinearSystem(M, K, contacts=contacts)
    assert system._core.cliques == ([0, 1, 0], [[1], [0, 1]])


def spatial_masses(n: int, which: slice) -> tuple[nsmb.LinearSystem, Floats, Floats]:
    """Masses pushed over a rough plane from a height, each with data of its own."""
    r = np.random.default_rng(5)
    m, mu = r.uniform(0.5, 2.0, n), r.uniform(0.2, 0.5, n)
    z, u = r.uniform(0.02, 0.1, n), r.uniform(-1.0, 1.0, (n, 3))
    unit = np.eye(3 * len(m[which]))
    contacts = [
        nsmb.Contact(
            w_N=unit[3 * k + 2], w_T=unit[3 * k : 3 * k + 2].T,
            law=nsmb.ContactLaw(mu=float(friction), e_N=0.3),
        )
        for k, friction in enumerate(mu[which])
    ]  # fmt: skip
    force = np.ravel([(0.0, 0.0, -9.81 * mass) for mass in m[which]])
    system = nsmb.LinearSystem(np.diag(np.repeat(m[which], 3)), force=force, contacts=contacts)
    q = np.ravel([(0.0, 0.0, height) for height in z[which]])
    return system, q, u[which].ravel()


def test_bodies_in_one_run_move_as_each_by_itself() -> None:
    n, t_end = 24, 0.4
    together, q, u = spatial_masses(n, slice(None))
    y = np.concatenate([q, u])
    assert core.delassus(together._core, 0.0, y)["in_blocks"]
    all_of_them = nsmb.simulate(together, t_end, q=q, u=u)
    for k in range(0, n, 6):
        alone, q_k, u_k = spatial_masses(n, slice(k, k + 1))
        one = nsmb.simulate(alone, t_end, q=q_k, u=u_k)
        # rtol of the integrator is 1e-8; 3e-10 measured.
        np.testing.assert_allclose(all_of_them.q[-1, 3 * k : 3 * k + 3], one.q[-1], atol=1e-8)
        np.testing.assert_allclose(all_of_them.u[-1, 3 * k : 3 * k + 3], one.u[-1], atol=1e-8)


def rows_of_discs(groups: range, t_end: float) -> nsmb.Solution:
    """Return a run of groups of three discs in a row on a floor, pushed against each other.

    One disc slides and the others are about to roll; each could also touch the first disc of the
    next group.
    """
    r = np.random.default_rng(7)
    mass, spin, push = r.uniform(0.5, 2.0, (8, 3)), r.uniform(-4.0, 4.0, 8), r.uniform(2.0, 4.0, 8)
    model = nsmb.Model(gravity=(0, -9.81))
    floor = model.ground.contour("floor", geometry.Line())
    law = nsmb.ContactLaw(mu=0.3, e_N=0.2)
    initial, speed, before = {}, {}, None
    for g in groups:
        for k in range(3):
            name = f"{g}_{k}"
            m = float(mass[g, k])
            body = model.add_body(f"b{name}", mass=m, inertia=0.005 * m)
            model.add_joint(f"j{name}", joints.Planar(), model.ground, body)
            rim = body.contour("c", geometry.Circle(0.1))
            model.add_contact(floor, rim, law, name=f"c{name}")
            if before is not None:
                model.add_contact(before, rim, law, name=f"p{name}")
            before = rim
            initial[f"j{name}"] = (2.0 * g + 0.2 * k, 0.1, 0.0)
            speed[f"j{name}"] = (0.0, 0.0, float(spin[g]) if k == 0 else 0.0)
        x = 2.0 * g + 0.4
        model.add_torsion_spring(f"s{g}", f"j{g}_2.x", c=20.0 * push[g], free_angle=x - 0.05)
    system = model.build(initial=initial, velocities=speed)
    return nsmb.simulate(system, t_end)


def test_closed_contacts_of_many_groups_give_each_group_its_own_motion() -> None:
    together, t_end = rows_of_discs(range(8), 0.1), 0.1
    for g in (0, 3, 7):
        alone = rows_of_discs(range(g, g + 1), t_end)
        own = slice(9 * g, 9 * g + 9)
        np.testing.assert_allclose(together.q[-1, own], alone.q[-1], atol=1e-8)
        np.testing.assert_allclose(together.u[-1, own], alone.u[-1], atol=1e-7)
