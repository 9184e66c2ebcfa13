"""Checks of areal contact: random poses, free impacts, deformable surfaces, invalid meshes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tests.campaign.areal_truth import Layer, press
from tests.campaign.case import Case
from tests.campaign.findings import Findings

Array = NDArray[np.float64]
Spec = dict[str, Any]
POSES = 5
MOST_PAIRS = 1500
"""Largest number of clipped pairs of triangles and cells whose boxes meet."""
STEP = 1e-9
"""Distance of neighbouring poses in m."""
NONE = np.zeros(0)
SMOOTH = {"damping": 0.0, "mu": 0.0}


class Pair:
    """Both surfaces with one law. If `swapped`, the second surface is the first body."""

    def __init__(self, spec: Spec, *, swapped: bool = False, surfaces: Any = None, **law: float):
        from nsmb._core import areal
        from nsmb.geometry import TriangleMesh
        from nsmb.multibody.areal import FoundationForce
        from tests.campaign.areal import built

        self.meshes = [built(mesh) for mesh in spec["meshes"]]
        given = surfaces or [TriangleMesh(*mesh) for mesh in self.meshes]
        base = spec["base"]
        if swapped:
            given = given[::-1]
            base = {"first": "second", "second": "first"}.get(base, base)
        choices = spec["elements"], base, "barycentric"
        self.swapped = swapped
        self.element = FoundationForce(tuple(given), spec["depth"], spec["law"] | law, choices)
        self.probe = areal.FoundationProbe(self.element.core)
        self.depths = [np.array(side.mesh.depths) for side in self.element.sides]

    def at(self, pose: Spec) -> dict[str, Any]:
        """Return the wrenches, in the order of the bodies in the spec."""
        order = [1, 0] if self.swapped else [0, 1]
        rows = [[pose[key][k] for k in order] for key in ("r", "A", "v", "Omega", "q", "u")]
        found = dict(self.probe.contact(*rows))
        if self.swapped:
            found["moment"], found["moment_2"] = found["moment_2"], found["moment"]
            found["force"] = -found["force"]
        return found

    def energy(self, pose: Spec) -> float:
        return float(self.probe.energy(pose["r"], pose["A"], pose["q"]))


def poses_of(spec: Spec, rng: np.random.Generator) -> list[Spec]:
    """Return poses with a small penetration, with rotation and sliding."""
    found = []
    for _ in range(POSES):
        inside = spec["deep"] * float(rng.uniform(0.1, 2.0))
        turn = Rotation.from_rotvec(0.02 * rng.normal(size=3) * (rng.random() < 0.7)).as_matrix()
        first, second = (np.array(A) for A in spec["turns"])
        place = np.array(spec["along"]) * (spec["apart"] - inside)
        place += 0.1 * rng.normal(size=3) * (rng.random() < 0.7)
        found.append({
            "r": [np.zeros(3), place], "A": [first, turn @ second],
            "v": list(rng.normal(size=(2, 3))), "Omega": list(rng.normal(size=(2, 3))),
            "q": [NONE, NONE], "u": [NONE, NONE],
        })  # fmt: skip
    return found


def moved(pose: Spec, R: Array, c: Array) -> Spec:
    """Return the pose with the whole scene rotated by R and shifted by c."""
    return pose | {
        "r": [R @ r + c for r in pose["r"]], "A": [R @ A for A in pose["A"]],
        "v": [R @ v for v in pose["v"]], "Omega": [R @ w for w in pose["Omega"]],
    }  # fmt: skip


def later(pose: Spec, t: float) -> Spec:
    """Return the pose after time t, to first order, with exact rotations."""
    turns = [Rotation.from_rotvec(t * w).as_matrix() for w in pose["Omega"]]
    return pose | {
        "r": [r + t * v for r, v in zip(pose["r"], pose["v"], strict=True)],
        "A": [turn @ A for turn, A in zip(turns, pose["A"], strict=True)],
    }


def wrench(found: dict[str, Any]) -> Array:
    return np.concatenate([found["force"], found["moment"], found["moment_2"]])


def at_poses(case: Case, found: Findings, notes: list[str]) -> None:
    spec, rng = case.spec, np.random.default_rng([case.seed, 1])
    clipped = spec["elements"] == "clipped"
    plain, smooth, other = Pair(spec), Pair(spec, **SMOOTH), Pair(spec, swapped=True)
    far = Rotation.random(random_state=case.seed).as_matrix(), rng.normal(size=3)
    for number, pose in enumerate(poses_of(spec, rng)):
        at = plain.at(pose)
        if at["active"] == 0:
            continue
        notes.append("pose")
        t = np.full(1, float(number))
        scale = float(np.abs(at["element_force"]).sum())
        arm = 1.0 + float(np.linalg.norm(pose["r"][1]))
        values = wrench(at)
        found.judge("no number", [not np.isfinite(values).all()], 0.0, t)
        total = at["moment"] + at["moment_2"] - np.cross(pose["r"][1], at["force"])
        found.judge("third law", [np.linalg.norm(total)], 1e-11 * scale * arm, t)
        swapped = wrench(other.at(pose))
        found.judge("depends on which is first", np.abs(values - swapped).max(keepdims=True),
                    1e-10 * scale * arm, t)  # fmt: skip
        check_elements(plain, pose, at, spec["law"]["mu"], t, found)
        if not clipped:
            continue
        R, c = far
        elsewhere = wrench(plain.at(moved(pose, R, c))).reshape(3, 3) @ R
        undamped = spec["law"]["damping"] == 0.0
        if undamped:  # with damping, rounding may drop a flat patch and its force
            off = np.abs(elsewhere.ravel() - values).max(keepdims=True)
            found.judge("depends on where it is", off, 1e-8 * scale * arm, t)
        check_near(smooth, pose, spec, t, rng, found)
        check_power(smooth, plain, pose, spec, t, found)
        check_brute_force(smooth, pose, spec, t, found, notes)


def check_elements(
    pair: Pair, pose: Spec, at: dict[str, Any], mu: float, t: Array, found: Findings
) -> None:
    """Check that there is no tension and that friction lies in its cone.

    Forces on the base are compared with its normals.
    """
    normals = []
    for k, (x, faces) in enumerate(pair.meshes):
        a, b, c = (x @ pose["A"][k].T)[faces].transpose(1, 0, 2)
        n = np.cross(b - a, c - a)
        normals.append(n / np.linalg.norm(n, axis=1)[:, None])
    is_first, force = np.asarray(at["base_is_first"], bool), np.asarray(at["element_force"])
    base = np.asarray(at["base"])
    n = np.where(is_first[:, None], normals[0][np.where(is_first, base, 0)],
                 -normals[1][np.where(is_first, 0, base)])  # fmt: skip
    pushed = -np.einsum("ij,ij->i", force, n)
    drag = np.linalg.norm(force + pushed[:, None] * n, axis=1)
    allowed = 1e-12 * np.abs(force).sum()
    found.judge("the layer pulls", [-pushed.min()], allowed, t)
    found.judge("friction beyond its cone", [(drag - mu * pushed).max()], allowed, t)
    found.judge("sum of elements", [np.abs(force.sum(axis=0) - at["force"]).max()], 10 * allowed, t)


def check_near(
    pair: Pair, pose: Spec, spec: Spec, t: Array, rng: np.random.Generator, found: Findings
) -> None:
    """Compare neighbouring poses.

    Pressures change by the step times the slope of the depth, at most four like the longest
    mitre.
    """
    step = rng.normal(size=3)
    near = pose | {"r": [pose["r"][0], pose["r"][1] + STEP * step / np.linalg.norm(step)]}
    one, two = pair.at(pose), pair.at(near)
    arm = 1.0 + float(np.linalg.norm(pose["r"][1]))
    scale = float(np.abs(one["element_force"]).sum())
    area = max(one["area"], two["area"])
    allowed = arm * (10.0 * spec["law"]["stiffness"] * area * STEP + 1e-10 * scale)
    off = np.abs(wrench(one) - wrench(two)).max(keepdims=True)
    found.judge("jumps between poses", off, allowed, t)


def check_power(
    smooth: Pair, plain: Pair, pose: Spec, spec: Spec, t: Array, found: Findings
) -> None:
    """Check that elastic power is the layer's energy loss, and that damping and friction
    dissipate."""
    h = 1e-6 * spec["deep"]
    slope = (smooth.energy(later(pose, h)) - smooth.energy(later(pose, -h))) / (2.0 * h)
    at = smooth.at(pose)
    size = float(np.abs(at["element_force"]).sum()) * 4.0
    found.judge("power of the layer", [abs(at["power"] + slope)], 1e-4 * size, t)
    by_wrench = at["force"] @ (pose["v"][0] - pose["v"][1])
    by_wrench += at["moment"] @ pose["Omega"][0] + at["moment_2"] @ pose["Omega"][1]
    found.judge("power of the wrench", [abs(at["power"] - by_wrench)], 1e-10 * size, t)
    damped = plain.at(pose)
    found.judge("damping gives power", [damped["power"] - at["power"]], 1e-10 * size, t)


def check_brute_force(
    pair: Pair, pose: Spec, spec: Spec, t: Array, found: Findings, notes: list[str]
) -> None:
    places = [x @ A.T + r for (x, _), A, r in zip(pair.meshes, pose["A"], pose["r"], strict=True)]
    faces = [mesh[1] for mesh in pair.meshes]
    force, moment = np.zeros(3), np.zeros(3)
    bases = {"first": [0], "second": [1]}.get(spec["base"], [0, 1])
    for base in bases:
        layer = Layer.of(places[1 - base], faces[1 - base], pair.depths[1 - base])
        pressed = press(places[base], faces[base], layer, MOST_PAIRS)
        if pressed is None:
            return
        weight = spec["law"]["stiffness"] / len(bases) * (1.0 if base == 0 else -1.0)
        force += weight * pressed.force
        moment += weight * pressed.moment
    at = pair.at(pose)
    notes.append("brute force")
    scale = float(np.abs(at["element_force"]).sum())
    found.judge("force by brute force", [np.abs(force - at["force"]).max()], 1e-9 * scale, t)
    arm = 1.0 + float(np.linalg.norm(pose["r"][1]))
    found.judge("moment by brute force", [np.abs(moment - at["moment"]).max()],
                1e-9 * scale * arm, t)  # fmt: skip


def of_an_impact(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    """Check momentum, and the energy of both bodies and the layer."""
    spec = case.spec
    sol = case.run(system)
    if not sol.success:
        notes.append(f"ended: {sol.status}")
        return
    times = np.linspace(0.0, case.t_end, 60)
    at = sol.at(times)
    contacts = [system.areal_contact("layer", t, q, u) for t, q, u in zip(times, at.q, at.u,
                                                                          strict=True)]  # fmt: skip
    deepest, patch = max(c.depth for c in contacts), max(c.area for c in contacts)
    notes.append("touched" if patch > 0.0 else "never touched")
    relative = 1e-9 + 1000.0 * case.method["rtol"]
    rows = [system.momentum(t, q, u) for t, q, u in zip(times, at.q, at.u, strict=True)]
    p, L = (np.array([row[k] for row in rows]) for k in range(2))
    size = sum(spec["masses"]) * float(np.abs(at.u).max())
    found.judge("momentum", np.abs(p - p[0]), relative * size, times, "component")
    wide = 1.0 + float(np.abs(at.q).max())
    found.judge("angular momentum", np.abs(L - L[0]), relative * size * wide, times, "component")
    kinetic = np.zeros(len(times))
    for k in range(2):
        u = at.u[:, 6 * k : 6 * k + 6]
        kinetic += 0.5 * spec["masses"][k] * (u[:, :3] ** 2).sum(axis=1)
        kinetic += 0.5 * u[:, 3:] ** 2 @ np.array(spec["inertias"][k])
    layers = [np.array(side.mesh.depths).min() for side in Pair(spec).element.sides]
    if spec["elements"] != "clipped" or deepest > 0.9 * min(layers):
        notes.append("without energy")  # no contact, or deeper than the layer
        return
    total = kinetic + np.array([c.energy for c in contacts])
    allowed = relative * kinetic[0]
    found.judge("energy is gained", np.diff(total), allowed, times[1:])
    if spec["law"]["damping"] == 0.0 and spec["law"]["mu"] == 0.0:
        notes.append("energy kept")
        found.judge("energy is lost", -np.diff(total), allowed, times[1:])


def of_what_deforms(case: Case, found: Findings, notes: list[str]) -> None:
    """Check power of generalised forces and the third law for deformable surfaces, in some
    cases."""
    if case.seed % 3:
        return
    import nsmb
    from nsmb.geometry import TriangleMesh
    from tests.campaign.areal import built

    rng = np.random.default_rng([case.seed, 2])
    surfaces, counts = [], [int(rng.integers(1, 4)), int(rng.integers(1, 4))]
    for mesh, n in zip(case.spec["meshes"], counts, strict=True):
        x, faces = built(mesh)
        waves = np.einsum("vi,nai->van", x, rng.normal(size=(n, 3, 3)))
        shapes = np.sin(waves + rng.uniform(0.0, 6.0, (3, n)))
        surfaces.append(nsmb.flexible.ElasticSurface(TriangleMesh(x, faces), 1e-3 * shapes))
    pair = Pair(case.spec, surfaces=surfaces)
    for number, pose in enumerate(poses_of(case.spec, rng)):
        pose |= {"q": [rng.normal(size=n) for n in counts]}
        pose |= {"u": [100.0 * rng.normal(size=n) for n in counts]}
        at = pair.at(pose)
        if at["active"] == 0:
            continue
        notes.append("deformed")
        t = np.full(1, float(number))
        power = at["force"] @ (pose["v"][0] - pose["v"][1])
        power += at["moment"] @ pose["Omega"][0] + at["moment_2"] @ pose["Omega"][1]
        power += at["modal_1"] @ pose["u"][0] + at["modal_2"] @ pose["u"][1]
        scale = float(np.abs(at["element_force"]).sum())
        arm = 1.0 + float(np.linalg.norm(pose["r"][1]))
        found.judge("power of what deforms", [abs(power - at["power"])], 1e-9 * scale * arm, t)
        total = at["moment"] + at["moment_2"] - np.cross(pose["r"][1], at["force"])
        found.judge("third law of what deforms", [np.linalg.norm(total)], 1e-11 * scale * arm, t)


def refusals(case: Case, found: Findings, notes: list[str]) -> None:
    """Check, for some cases, that an invalid mesh is rejected and named."""
    if case.seed % 4:
        return
    import nsmb
    from nsmb.geometry import TriangleMesh
    from tests.campaign.areal import built

    rng = np.random.default_rng([case.seed, 3])
    x, faces = built(case.spec["meshes"][0])
    k = int(rng.integers(len(faces)))
    open_one = x, np.delete(faces, k, axis=0)
    double = np.vstack([x, x + 0.1 * rng.normal(size=3)]), np.vstack([faces, faces + len(x)])
    m = nsmb.Model(gravity=(0.0, 0.0, 0.0))
    bodies = [m.add_body(f"b{i}", mass=1.0, inertia=(1.0, 1.0, 1.0)) for i in range(2)]
    good = TriangleMesh(x, faces)
    for (place, (words, bad)), number in zip(
        itertools.product((1, 2), (("3 open edges", open_one), ("intersect itself", double))),
        itertools.count(), strict=False,
    ):  # fmt: skip
        both = [good, good]
        both[place - 1] = TriangleMesh(*bad)
        message = ""
        try:
            m.add_elastic_foundation("l", bodies[0], both[0], bodies[1], both[1], stiffness=1.0)
        except ValueError as error:
            message = str(error)
        notes.append("refused")
        is_named = words in message and f"surface_{place}" in message
        found.judge(f"not refused: {words}", [not is_named], 0.0, np.full(1, float(number)))
    try:
        TriangleMesh(x, faces[:, ::-1])
        message = ""
    except ValueError as error:
        message = str(error)
    found.judge("not refused: inside out", ["inside out" not in message], 0.0, np.zeros(1))
