"""Forward dynamics and mass matrix of chains of bodies, compared with Pinocchio in one run.

The chains consist of bodies on revolute joints with axes x, y, z in turn, with random state and
torques, or of beams with two additional elastic coordinates each. Pinocchio (`pip install pin`) is
called from Python, `aba` in the faster of its two conventions. nsmb is called the same way, and
also in a C++ loop to show the cost of the call itself. The programs run alternately.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import FOUND, alternate, benchmark, exponents
from nsmb._core import multibody
from nsmb.multibody import elastic

Floats = NDArray[np.float64]

SIZES = (5, 10, 20, 50, 100, 200)
ROUNDS = 15
STEP = np.array([0.1, 0.05, 0.2])  # from joint to joint, m
CENTER = np.array([0.05, 0.02, 0.1])  # m
INERTIA = np.diag([0.1, 0.12, 0.08])  # kg m², for 1 kg
GRAVITY = np.array([0.0, 0.0, -9.81])


def our_chain(n: int) -> multibody.TreeEvaluation:
    bodies = [
        multibody.Body(
            f"body_{k}",
            1.0,
            CENTER,
            INERTIA,
            multibody.RevoluteJoint(np.eye(3)[k % 3]),
            f"body_{k - 1}" if k else "environment",
            multibody.Frame(STEP),
        )
        for k in range(n)
    ]
    return multibody.TreeEvaluation(multibody.Tree(bodies, GRAVITY))


def beam_chain(n: int) -> multibody.TreeEvaluation:
    """Build beams, each on the end of the previous one, bending by two functions."""
    beam = elastic.Bending(0.25, 40.0, 4.0, elastic.splines(2, "fixed-free"))
    end, section = beam.section(np.array([0.25, 0.0, 0.0]))
    nothing = np.zeros((3, 3))
    inertia = np.diag([1e-4, 6e-3, 6e-3])
    bodies, parent = [], "environment"
    for k in range(n):
        joint = multibody.RevoluteJoint(np.eye(3)[k % 3])
        bodies += [
            multibody.Body(
                f"beam_{k}", 1.0, 0.5 * end, inertia, joint, parent, elastic=beam._core()
            ),
            multibody.Body(
                f"end_{k}", 0.0, 0.0 * end, nothing, None, f"beam_{k}", multibody.Frame(end),
                node=section,
            ),
        ]  # fmt: skip
        parent = f"end_{k}"
    return multibody.TreeEvaluation(multibody.Tree(bodies, GRAVITY))


def their_chain(n: int) -> tuple[Any, Any]:
    import pinocchio

    model = pinocchio.Model()
    model.gravity.linear = GRAVITY
    joints = [pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ]
    last = 0
    for k in range(n):
        place = pinocchio.SE3(np.eye(3), STEP)
        last = model.addJoint(last, joints[k % 3](), place, f"joint_{k}")
        inertia = pinocchio.Inertia(1.0, CENTER, INERTIA)
        model.appendBodyToJoint(last, inertia, pinocchio.SE3.Identity())
    return model, model.createData()


def calls(n: int) -> tuple[dict[str, Callable[[int], Any]], int]:
    """Return functions of the number of evaluations, and this number for one measurement."""
    rng = np.random.default_rng(n)
    q, u, tau = rng.normal(size=(3, n))
    ours, beams = our_chain(n), beam_chain(n)
    p, v = 0.01 * rng.normal(size=(2, 3 * n))
    many = max(20, 10000 // n)

    def from_python(function: Callable[[], Any]) -> Callable[[int], Any]:
        def loop(count: int) -> Any:
            for _ in range(count - 1):
                function()
            return function()

        return loop

    functions: dict[str, Callable[[int], Any]] = {
        "udot": from_python(lambda: ours.forward_dynamics(0.0, q, u, tau)[0]),
        "udot, loop in C++": lambda r: ours.forward_dynamics(0.0, q, u, tau, repeat=r)[0],
        "M": from_python(lambda: ours.mass_matrix(0.0, q)),
        "M, loop in C++": lambda r: ours.mass_matrix(0.0, q, repeat=r),
        "h, loop in C++": lambda r: ours.forces(0.0, q, u, repeat=r),
        "beams, loop in C++": lambda r: beams.forward_dynamics(0.0, p, v, repeat=r)[0],
    }
    if importlib.util.find_spec("pinocchio") is not None:
        import pinocchio

        model, data = their_chain(n)
        local, world = pinocchio.Convention.LOCAL, pinocchio.Convention.WORLD
        functions |= {
            "Pinocchio aba, local": from_python(
                lambda: pinocchio.aba(model, data, q, u, tau, local)
            ),
            "Pinocchio aba, world": from_python(
                lambda: pinocchio.aba(model, data, q, u, tau, world)
            ),
            "Pinocchio crba": from_python(lambda: pinocchio.crba(model, data, q)),
            "Pinocchio nle": from_python(lambda: pinocchio.nonLinearEffects(model, data, q, u)),
        }
        FOUND["pinocchio"] = pinocchio.__version__
        check(functions)
    return functions, many


def check(functions: dict[str, Callable[[int], Any]]) -> None:
    """Check that both programs give the same results."""
    udot = functions["Pinocchio aba, local"](1)
    np.testing.assert_allclose(functions["udot"](1), udot, atol=1e-9 * np.abs(udot).max())
    M = np.triu(functions["Pinocchio crba"](1))  # only this half is filled
    M = M + np.triu(M, 1).T
    np.testing.assert_allclose(functions["M"](1), M, atol=1e-11 * np.abs(M).max())
    h = -functions["Pinocchio nle"](1)
    np.testing.assert_allclose(functions["h, loop in C++"](1), h, atol=1e-11 * np.abs(h).max())


@benchmark("forward_dynamics", "Chains of bodies: accelerations and mass matrix, beside Pinocchio")
def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Return times in µs, and growth from 20 bodies on."""
    rows = []
    for n in sizes:
        functions, many = calls(n)
        works = {name: lambda f=f, many=many: f(many) for name, f in functions.items()}
        times = alternate(works, ROUNDS)
        rows.append({"n": n, **{name: 1e6 * min(taken) / many for name, taken in times.items()}})
    return {"rows": rows, "exponents": exponents(rows, list(rows[0])[1:], start=20)}
