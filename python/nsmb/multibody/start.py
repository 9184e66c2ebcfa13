"""Initial state of a model: given coordinates are kept, and the others close the loops."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.checks import check_branches

__all__ = ["find_start"]

Array = NDArray[np.float64]
_STEPS = 60
_CLOSED = 1e-12  # m or rad, per m of the scene
_RANK = 1e-10


def find_start(
    assembly: Assembly,
    t: float,
    initial: Mapping[str, ArrayLike],
    guess: Mapping[str, ArrayLike],
    velocities: Mapping[str, ArrayLike],
) -> tuple[Array, Array]:
    tree, core = assembly.tree, assembly.core
    q = np.array(tree.reference)
    for values in (
        assembly.values("guess", assembly.coordinate_places, guess),
        fixed := assembly.values("initial", assembly.coordinate_places, initial),
    ):
        q[list(values)] = list(values.values())
    _check_quaternions(assembly, q)
    q = np.array(tree.normalise(q))
    held = np.array([_is_held(assembly, k, fixed) for k in range(tree.nu)], dtype=bool)
    # Bodies are bent to close loops only where joints alone cannot.
    rigid = np.array([k not in assembly.elastic_velocities for k in range(tree.nu)], dtype=bool)
    q = _close_rigid(assembly, t, q, ~held & rigid, ~held)
    check_branches(assembly, t, q)

    given = assembly.values("velocity", assembly.velocity_places, velocities)
    u = np.zeros(tree.nu)
    u[list(given)] = list(given.values())
    if not assembly.rows:
        return q, u
    free = np.ones(tree.nu, dtype=bool)
    free[list(given)] = False
    k = core.constraint_kinematics(t, q, u)
    error = k["W"].T @ u + k["w_tilde"]
    if not rigid.all():
        some = free & rigid
        u[some] -= np.linalg.lstsq(k["W"][some].T, error, rcond=_RANK)[0]
        error = k["W"].T @ u + k["w_tilde"]
    if rigid.all() or np.abs(error).max() > _CLOSED * (1.0 + np.abs(u).max()):
        u[free] -= np.linalg.lstsq(k["W"][free].T, error, rcond=_RANK)[0]
        error = k["W"].T @ u + k["w_tilde"]
    worst = int(np.argmax(np.abs(error)))
    if abs(error[worst]) > 1e-9 * (1.0 + np.abs(u).max()):
        raise ValueError(
            f"velocities: must be compatible with the loops, got {error[worst]:.3g} at "
            f"constraint {core.constraints[worst]!r}. Pass fewer velocities."
        )
    found, y = _simulation.satisfy_constraints(core, t, np.concatenate([q, u, np.zeros(core.nx)]))
    return (y[: q.size], y[q.size : q.size + u.size]) if found else (q, u)


def _check_quaternions(assembly: Assembly, q: Array) -> None:
    names = assembly.coordinates
    for k, name in enumerate(names):
        joint, _, own = name.partition(".")
        if own != "qw" or names[k : k + 4] != [f"{joint}.q{x}" for x in "wxyz"]:
            continue
        if not np.linalg.norm(q[k : k + 4]) > 0.0:
            raise ValueError(
                f"initial: joint {joint!r}: must be a quaternion (w, x, y, z) that is not zero, "
                f"got {q[k : k + 4].tolist()}; (1, 0, 0, 0) is no rotation"
            )


def _is_held(assembly: Assembly, velocity: int, fixed: dict[int, float]) -> bool:
    """Return True if all coordinates changed by the velocity are given."""
    name, places = assembly.velocities[velocity], assembly.coordinate_places.of
    if name in places:
        return places[name] in fixed
    joint = assembly.joint_of_velocity[velocity].name
    names, _, moved = assembly.joint_of_velocity[velocity].joint._names()
    own = [f"{joint}.{n}" for n in names if n not in moved]
    return all(places[n] in fixed for n in own)


def _close_rigid(
    assembly: Assembly, t: float, q: Array, rigid: NDArray[np.bool_], free: NDArray[np.bool_]
) -> Array:
    if rigid.sum() < free.sum():
        try:
            return _close(assembly, t, q, rigid)
        except ValueError:  # the next call reports the error
            pass
    return _close(assembly, t, q, free)


def _close(assembly: Assembly, t: float, q: Array, free: NDArray[np.bool_]) -> Array:
    """Solve g(q, t) = 0 in the free directions by Newton's method."""
    tree, core = assembly.tree, assembly.core
    if not assembly.rows:
        return q
    still = np.zeros(tree.nu)

    def error(place: Array) -> Array:
        return np.asarray(core.constraint_kinematics(t, place, still)["g"])

    for _ in range(_STEPS):
        k = core.constraint_kinematics(t, q, still)
        size = np.abs(k["g"]).max()
        if size <= _CLOSED:
            return q
        step = np.zeros(tree.nu)
        step[free] = -np.linalg.lstsq(k["W"][free].T, k["g"], rcond=_RANK)[0]
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
        for _ in range(20):
            trial = np.array(tree.normalise(q + tree.coordinate_rates(q, step)))
            if np.linalg.norm(error(trial)) < np.linalg.norm(k["g"]):
                break
            step *= 0.5
        else:
            break
        q = trial
    g = error(q)
    worst = int(np.argmax(np.abs(g)))
    if abs(g[worst]) > 1e-10:
        raise ValueError(
            "initial: must be coordinates with which the loops can be closed, got g = "
            f"{g[worst]:.3g} at constraint {core.constraints[worst]!r}. Pass fewer coordinates "
            "in `initial`, and those that may move in `guess`."
        )
    return q
