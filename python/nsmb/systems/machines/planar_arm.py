"""A planar robot arm with three hinges whose tool follows a path, under PD joint control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import ArrayLike, NDArray

from nsmb.multibody import Model, joints
from nsmb.multibody.handles import Body

__all__ = ["JOINTS", "PlanarArm", "Task", "add_planar_arm"]

Vector = NDArray[np.float64]

JOINTS = ("shoulder", "elbow", "wrist")
_DEGREE = 6  # of the angles over the height: exact to 1e-9 m, without rounding noise


@dataclass(frozen=True)
class Task:
    """Poses (x, y, φ) of the tool: straight down at speed `v`, then braking to rest."""

    x: float
    y: float
    """Height at t = 0, m."""
    phi: float
    v: float
    """Speed, m/s."""
    path: float
    """Length of the path down to the end position, m."""
    brake: float
    """Duration of braking, s."""

    @property
    def ends(self) -> tuple[float, float]:
        """Times at which the constant speed and the motion end, s."""
        constant = self.path / self.v - 0.5 * self.brake
        return constant, constant + self.brake

    def height(self, t: ArrayLike) -> Vector:
        """Return the height at time t, m."""
        begin, end = self.ends
        late = np.clip(np.asarray(t, dtype=np.float64) - begin, 0.0, end - begin)
        early = np.minimum(t, begin)
        return np.asarray(self.y - self.v * (early + late - 0.5 * late**2 / self.brake))

    def pose(self, t: ArrayLike) -> Vector:
        """Return the pose at time t, shape (..., 3)."""
        y = self.height(t)
        return np.stack([0 * y + self.x, y, 0 * y + self.phi], axis=-1)


@dataclass(frozen=True)
class PlanarArm:
    """Links, masses and joint control of an arm; the tool points along its -y axis."""

    shoulder: tuple[float, float]
    """Position of the shoulder, m."""
    lengths: tuple[float, float, float]
    """Lengths from shoulder to elbow, to wrist, to the origin of the tool, m."""
    masses: tuple[float, float, float]
    """Masses of the links, with centres at their middle, kg."""
    inertias: tuple[float, float, float]
    """Moments of inertia about the centres, kg m²."""
    K_p: tuple[float, float, float]
    """Proportional gains, N m/rad."""
    zeta: float
    """Damping ratio of each joint with the other joints locked."""

    def angles(self, pose: Vector) -> Vector:
        """Return the joint angles, elbow up, for poses of the tool, both of shape (..., 3).

        Raises
        ------
        ValueError
            If a pose is out of reach.
        """
        a, b, c = self.lengths
        phi = pose[..., 2]
        x = pose[..., 0] - c * np.sin(phi) - self.shoulder[0]
        y = pose[..., 1] + c * np.cos(phi) - self.shoulder[1]
        fold = (x**2 + y**2 - a**2 - b**2) / (2.0 * a * b)
        if not (np.abs(fold) < 1.0).all():
            near, far = abs(a - b), a + b
            raise ValueError(
                f"arm: expected the wrist between {near:g} m and {far:g} m from the shoulder, got "
                f"{np.hypot(x, y).max():g} m"
            )
        elbow = -np.arccos(fold)
        shoulder = np.arctan2(y, x) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
        return np.stack([shoulder, elbow, phi - shoulder - elbow], axis=-1)

    def places(self, q: Vector) -> Vector:
        """Return the positions of shoulder, elbow, wrist and tool, shape (..., 4, 2), m."""
        turned = np.cumsum(q, axis=-1)
        along = np.stack([np.cos(turned), np.sin(turned)], axis=-1)
        # the tool points along its -y axis
        along[..., 2, :] = along[..., 2, ::-1] * np.array([1.0, -1.0])
        steps = np.array(self.lengths)[:, None] * along
        first = np.broadcast_to(self.shoulder, (*steps.shape[:-2], 1, 2))
        return np.cumsum(np.concatenate([first, steps], axis=-2), axis=-2)

    def jacobian(self, q: Vector) -> Vector:
        """Return the Jacobian of the pose of the tool by the joint angles, shape (..., 3, 3)."""
        places = self.places(q)
        return _turning(places[..., :3, :], places[..., 3:, :])

    def stiffness(self, q: Vector) -> Vector:
        """Return the stiffness of the tool against force and moment, J⁻ᵀ K_p J⁻¹, shape (3, 3)."""
        inverse = np.linalg.inv(self.jacobian(q))
        return np.asarray(inverse.T @ np.diag(self.K_p) @ inverse)

    def mass_matrix(self, q: Vector) -> Vector:
        """Return the mass matrix for the joint angles, shape (3, 3)."""
        places = self.places(q)
        M = np.zeros((3, 3))
        for k in range(3):
            J = _turning(places[:3], 0.5 * (places[k : k + 1] + places[k + 1 : k + 2]))
            J[:, k + 1 :] = 0.0
            M += J.T @ np.diag([self.masses[k], self.masses[k], self.inertias[k]]) @ J
        return M

    def K_d(self, q: Vector) -> Vector:
        """Return the derivative gains of the control, shape (3,), N m s/rad."""
        inertia = np.diag(self.mass_matrix(q))
        return np.asarray(2.0 * self.zeta * np.sqrt(np.array(self.K_p) * inertia))


def _turning(hinges: Vector, point: Vector) -> Vector:
    """Return the Jacobian of a point and of the body angle by each hinge, shape (..., 3, 3)."""
    d = point - hinges
    return np.stack([-d[..., 1], d[..., 0], np.ones(d.shape[:-1])], axis=-2)


def add_planar_arm(m: Model, arm: PlanarArm, task: Task, tool: str, posture: Vector) -> Body:
    """Add links, joint motions along the task, and the control; return the tool.

    Coordinates are deviations of the joints from the motion required by the task, so that the PD
    control is a spring and a damper on each coordinate. `posture` is the posture at which its
    damping ratio is that of the data.
    """
    a, b, c = arm.lengths
    parts = zip((0.5 * a, 0.5 * b), arm.masses, arm.inertias, strict=False)
    links = [
        m.add_body(name, mass=mass, inertia=inertia, center=(center, 0.0))
        for name, (center, mass, inertia) in zip(("upper arm", "forearm"), parts, strict=True)
    ]
    held = m.add_body(tool, mass=arm.masses[2], inertia=arm.inertias[2], center=(0.0, 0.5 * c))
    hinge = joints.Revolute()
    m.add_joint("shoulder", hinge, m.ground, links[0], at=arm.shoulder)
    m.add_joint("elbow", hinge, links[0], links[1], at=(a, 0.0))
    m.add_joint("wrist", hinge, links[1], held, at=(b, 0.0), at_2=(0.0, c))
    K_d = arm.K_d(posture)
    for k, (name, pieces) in enumerate(zip(JOINTS, _motions(arm, task), strict=True)):
        m.drive(name, pieces, locked=False)
        m.add_torsion_spring(f"{name}_control", name, c=arm.K_p[k], d=float(K_d[k]))
    return held


def _motions(arm: PlanarArm, task: Task) -> list[list[tuple[float, Polynomial]]]:
    """Return the motion of each joint, with angles as polynomials of the height."""
    begin, end = task.ends
    y_rest = float(task.height(end))
    constant = Polynomial([task.y, -task.v])
    late = Polynomial([-begin, 1.0])
    heights = [constant, constant + (0.5 * task.v / task.brake) * late**2, Polynomial([y_rest])]
    pieces = []
    for k in range(len(JOINTS)):

        def angle(y: Vector, k: int = k) -> Vector:
            pose = np.stack([0 * y + task.x, y, 0 * y + task.phi], axis=-1)
            return np.asarray(arm.angles(pose)[..., k])

        fit = Chebyshev.interpolate(angle, _DEGREE, [y_rest, task.y]).convert(kind=Polynomial)
        pieces.append([(t, fit(y)) for t, y in zip((0.0, begin, end), heights, strict=True)])
    return pieces
