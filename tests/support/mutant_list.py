"""The forty mistakes of ``tests.support.mutants``, distributed over the rooms of the core."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mistake that replaces `old` by `new` in `file`, below ``cpp/nsmb``.

    `old` occurs once in the file. It is an expression that parentheses do not change, or whole
    statements. The test files `first` run before all others.
    """

    file: str
    meaning: str
    old: str
    new: str
    first: tuple[str, ...] = ()

    @property
    def room(self) -> str:
        return self.file.split("/")[0]

    @property
    def is_statement(self) -> bool:
        return self.old.rstrip().endswith((";", "}"))


MUTANTS = [
    Mutant(
        "complementarity/lemke.cpp",
        "lexicographic rule with the wrong sign",
        "keep_smallest_ratios([t](Index i) { return -t[i]; });",
        "keep_smallest_ratios([t](Index i) { return t[i]; });",
        ("tests/complementarity/test_lemke.py",),
    ),
    Mutant(
        "complementarity/friction_scaled.cpp",
        "given friction bound not scaled with the largest velocity",
        "part.bound /= d[part.first] * beta;",
        "part.bound /= d[part.first];",
        ("tests/complementarity/test_friction.py",),
    ),
    Mutant(
        "complementarity/friction_cone.cpp",
        "projection onto a cone: μ instead of μ² leaves the slope",
        "slope -= sets[k].mu * sets[k].mu;",
        "slope -= sets[k].mu;",
        ("tests/complementarity/test_sparse_friction.py",),
    ),
    Mutant(
        "complementarity/friction_original.cpp",
        "De Saxcé's term left out of the residual",
        "z[0] -= saxce;",
        "",
        ("tests/complementarity/test_sparse_friction.py", "tests/complementarity/test_fclib.py"),
    ),
    Mutant(
        "complementarity/mcp_path.cpp",
        "path passes the second bound of a box",
        "entering_range_ = upper[leaving] - lower[leaving];",
        "entering_range_ = kInfinity;",
        ("tests/complementarity/test_mcp.py",),
    ),
    Mutant(
        "complementarity/friction_gauss_seidel.cpp",
        "given friction bound left out of a sweep",
        "part.mu * x_N + part.bound",
        "part.mu * x_N",
        ("tests/complementarity/test_friction.py",),
    ),
    Mutant(
        "contact_laws/contact_problem.cpp",
        "friction bound taken from a warm start",
        "f.normal < 0 ? 0.0 : p.x(f.normal)",
        "f.normal < 0 ? 0.0 : x_start ? (*x_start)(f.normal) : p.x(f.normal)",
        ("tests/simulation/test_dependent_in_space.py",),
    ),
    Mutant(
        "contact_laws/contact_problem.cpp",
        "slow approach beside fast slip not solved from a faster one",
        "solved && solve_from_faster_approach(problem)",
        "false",
        ("tests/contact_laws/test_campaign_of_laws.py",),
    ),
    Mutant(
        "contact_laws/impact.cpp",
        "impact energy without the tangential motion of a support (w_tilde_T)",
        "w_tilde_T(t)",
        "0.0",
        ("tests/simulation/test_energy_of_impacts_on_moving_surfaces.py",),
    ),
    Mutant(
        "contact_laws/impact_poisson.cpp",
        "tangential restitution with the wrong sign in the lower bound of friction",
        "(1.0 - law.e_T) * plus",
        "(1.0 + law.e_T) * plus",
        ("tests/contact_laws/test_impact_examples.py",),
    ),
    Mutant(
        "contact_laws/acceleration_law.cpp",
        "sliding friction reversed in the rows of other contacts",
        "a * p.mu(j) * p.friction(p.rows.tangent(j) + d)",
        "-a * p.mu(j) * p.friction(p.rows.tangent(j) + d)",
        ("tests/contact_laws/test_acceleration_law.py",),
    ),
    Mutant(
        "contact_laws/impact.cpp",
        "restitution also for separating contacts",
        "e_N * std::min(p.gamma_N(i), 0.0)",
        "e_N * p.gamma_N(i)",
        ("tests/contact_laws/test_moreau.py",),
    ),
    Mutant(
        "geometry/contour.cpp",
        "boxes of a tree not widened by the distance of a curve from its chord",
        "box.half.array() += longest * (high - low + 1e-3);",
        "",
        ("tests/geometry/test_find_contacts.py",),
    ),
    Mutant(
        "geometry/gjk.cpp",
        "foot on an edge on the wrong side of its first corner",
        "-w(0).dot(d) / length",
        "w(0).dot(d) / length",
        ("tests/geometry/test_shape_contacts.py",),
    ),
    Mutant(
        "geometry/manifold.cpp",
        "shallowest of many contact points kept instead of the deepest",
        "points[i].g_N < points[best].g_N - polyhedra::kDeeper * size",
        "points[i].g_N > points[best].g_N + polyhedra::kDeeper * size",
        ("tests/geometry/test_shape_contacts.py",),
    ),
    Mutant(
        "geometry/contact_point.cpp",
        "gap with the wrong sign in the rate of a contact point opposite to a vertex",
        "(1.0 + g * k_1)",
        "(1.0 - g * k_1)",
        ("tests/geometry/test_contact_points.py",),
    ),
    Mutant(
        "geometry/height_field.cpp",
        "slope of the first triangle of a cell for both",
        "first ? h(1, 1) - h(1, 0) : h(0, 1) - h(0, 0)",
        "h(1, 1) - h(1, 0)",
        ("tests/geometry/test_meshes.py",),
    ),
    Mutant(
        "geometry/areal_patch.cpp",
        "wrong weight of the depth above its corner in the energy of a layer",
        "(cell.depth(x) - depth_o) / 4.0",
        "(cell.depth(x) - depth_o) / 3.0",
        ("tests/geometry/test_areal_meshes.py", "tests/multibody/test_elastic_foundation.py"),
    ),
    Mutant(
        "integration/dormand_prince.cpp",
        "dense output of a shortened step not bent to its new end",
        "dense_.bend += (y_ - y_stage_) / (t_end - t_start);",
        "",
        ("tests/integration/test_integrator_steps.py",),
    ),
    Mutant(
        "integration/linear_flow.cpp",
        "series of a cosine with the sign of a hyperbolic one",
        "-factor * series(c + 1, i - 1)",
        "factor * series(c + 1, i - 1)",
        ("tests/simulation/test_linear_flow.py",),
    ),
    Mutant(
        "integration/bernstein.cpp",
        "curvature bounded from the wrong side before the search for a root",
        "static_cast<double>(i * (i - 1)) * std::max(c_i, 0.0)",
        "static_cast<double>(i * (i - 1)) * std::min(c_i, 0.0)",
        ("tests/integration/test_root_finder.py",),
    ),
    Mutant(
        "multibody/tree.cpp",
        "Steiner's term of the inertia with the wrong sign",
        "link.inertia = link.frame.A.transpose() * body.inertia * link.frame.A"
        " - body.mass * c * c;",
        "link.inertia = link.frame.A.transpose() * body.inertia * link.frame.A"
        " + body.mass * c * c;",
        ("tests/multibody/test_dynamics.py",),
    ),
    Mutant(
        "multibody/articulated_body.cpp",
        "gyroscopic angular acceleration of a link not passed outwards",
        "work.acceleration[j] = {a.R + state.zeta.R, a.T + state.zeta.T};",
        "work.acceleration[j] = {a.R, a.T + state.zeta.T};",
        ("tests/multibody/test_dynamics.py",),
    ),
    Mutant(
        "multibody/model_contacts.cpp",
        "rotation of the second contour with the wrong sign in w_bar_N",
        "s.sdot_2 * Omega_2",
        "-s.sdot_2 * Omega_2",
        ("tests/multibody/test_contour_kinematics.py",),
    ),
    Mutant(
        "multibody/elastic_motion.cpp",
        "Coriolis force on elastic coordinates left out",
        "2.0 * omega.dot(axial(rate))",
        "0.0",
        ("tests/multibody/test_elastic_trees.py",),
    ),
    Mutant(
        "multibody/gear_mesh.cpp",
        "wrong constant in the energy of a crowned tooth",
        "0.1 * C * C",
        "0.2 * C * C",
        ("tests/multibody/test_gear_force.py",),
    ),
    Mutant(
        "multibody/elastic_foundation.cpp",
        "normal part left in the slip of an elastic layer",
        "v + e.approach * e.push",
        "Vector3(v)",
        ("tests/multibody/test_elastic_foundation.py",),
    ),
    Mutant(
        "multibody/kinematics.cpp",
        "Coriolis acceleration of a sliding joint halved",
        "state.zeta.T = Omega.cross(v + 2.0 * rate);",
        "state.zeta.T = Omega.cross(v + rate);",
        ("tests/multibody/test_dynamics.py",),
    ),
    Mutant(
        "simulation/variation_jump.cpp",
        "derivative of a wall by a parameter that moves it left out",
        "      J_y_(row, y.size() + p) =\n"
        "          (place(systems_.plus(p), t, y, e) - place(systems_.minus(p), t, y, e)) /\n"
        "          systems_.distance(p);",
        "",
        ("tests/simulation/test_variation.py",),
    ),
    Mutant(
        "simulation/event_locator.cpp",
        "return to a contact measured from zero instead of its initial gap",
        "if (std::abs(start) > event_times::kReturn * std::abs(slope) * dt) f -= start;",
        "",
        ("tests/simulation/test_settling.py", "tests/simulation/test_accumulation.py"),
    ),
    Mutant(
        "simulation/energies.cpp",
        "force of an element without the velocity of its moving support",
        "own + elements.w_tilde(j)",
        "own",
        ("tests/simulation/test_elements_and_impacts.py", "tests/python/test_energy_balance.py"),
    ),
    Mutant(
        "simulation/jump.cpp",
        "constraint of a neighbouring motion with the wrong sign in the saltation matrix",
        "du -= correction_ / distance;",
        "du += correction_ / distance;",
        ("tests/simulation/test_variation.py",),
    ),
    Mutant(
        "simulation/quantities.cpp",
        "wall and mass that separate with equal velocities treated as separating at once",
        "together ? 2 : 1",
        "1",
        ("tests/simulation/test_elements_and_impacts.py",),
    ),
    Mutant(
        "simulation/transition.cpp",
        "state of a switched element set to the side that it leaves",
        "opens ? 0.0 : 1.0",
        "opens ? 1.0 : 0.0",
        ("tests/symbolic/test_elements_in_contact.py", "tests/simulation/test_internal_states.py"),
    ),
    Mutant(
        "stepping/step_place.cpp",
        "length of quaternions after a step not restored",
        "mechanics.system().normalise(q);",
        "",
        ("tests/stepping/test_spinning.py", "tests/stepping/test_wobbling.py"),
    ),
    Mutant(
        "stepping/midpoint.cpp",
        "contacts that last by the velocities behind alone",
        "problem_.take_mean(contact, holds_[k] == Hold::Rolls, middle_.held);",
        "if (holds_[k] == Hold::Strikes && has_one_phase()) problem_.restitute(contact, k);",
        ("tests/stepping/test_lasting_contacts.py", "tests/stepping/test_orders.py"),
    ),
    Mutant(
        "stepping/midpoint.cpp",
        "loss of an impact from the difference of velocities instead of their mean",
        "(problem_.start()(row) + after)",
        "(problem_.start()(row) - after)",
        ("tests/stepping/test_energy.py",),
    ),
    Mutant(
        "stepping/sleeping_groups.cpp",
        "bodies on a moving surface fall asleep",
        "set.w_tilde[at(row)] != 0.0",
        "false",
        ("tests/stepping/test_sleeping.py",),
    ),
    Mutant(
        "system/friction_curve.cpp",
        "friction curve extrapolated beyond its last point",
        "piece(speeds_.size() - 2, speeds_.back())",
        "piece(speeds_.size() - 2, speed)",
        ("tests/system/test_friction_alone.py", "tests/system/test_compiled_system.py"),
    ),
    Mutant(
        "system/linear_system.cpp",
        "potential of a constant force with the wrong sign",
        "0.5 * q.dot(form_.K * q) - form_.force.constant.dot(q)",
        "0.5 * q.dot(form_.K * q) + form_.force.constant.dot(q)",
        ("tests/system/test_linear_system.py",),
    ),
]
