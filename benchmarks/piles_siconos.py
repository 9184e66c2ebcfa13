"""Piles and pyramids in Siconos: Moreau-Jean, NSGS, contacts by Bullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from siconos.mechanics.collision import (
    RigidBodyDS,
    SiconosBox,
    SiconosContactor,
    SiconosContactorSet,
    SiconosSphere,
)
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager

from benchmarks import pile_peer

SIZE, THICKNESS = 50.0, 1.0  # of floor and walls, m


def contactors(shape: Any) -> Any:
    found = SiconosContactorSet()
    found.push_back(SiconosContactor(shape))
    return found


def build(scene: dict[str, Any]) -> tuple[pile_peer.Step, pile_peer.Report]:
    h = scene["step"]
    model = sk.NonSmoothDynamicalSystem(0.0, h * (scene["steps"] + 2))
    alive: list[Any] = [model]
    spheres, boxes = scene["spheres"], scene["boxes"]
    bodies = []
    shapes = [
        *((SiconosSphere(r), 0.4 * r * r) for r in spheres["radius"]),
        *((SiconosBox([2 * a, 2 * a, 2 * a]), 2.0 / 3.0 * a * a) for a in boxes["half"]),
    ]
    places = [*spheres["r"], *boxes["r"]]
    masses = [*spheres["mass"], *boxes["mass"]]
    for (shape, factor), place, mass in zip(shapes, places, masses, strict=True):
        body = RigidBodyDS([*place, 1.0, 0.0, 0.0, 0.0], [0.0] * 6, mass, mass * factor * np.eye(3))
        body.setContactors(contactors(shape))
        force = np.array([0.0, 0.0, -mass * scene["gravity"]])
        body.setFExtPtr(force)
        model.insertDynamicalSystem(body)
        bodies.append(body)
        alive.extend((force, shape))
    manager = SiconosBulletCollisionManager()
    manager.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(0.0, 0.0, scene["mu"], 3), 0, 0)
    # Floor and walls are boxes, because spheres sink into planes by up to their radius.
    statics = [contactors(SiconosBox([SIZE, SIZE, THICKNESS]))]
    standing = [1.0, 0.0, 0.0, 0.0]
    manager.insertStaticContactorSet(statics[0], [0.0, 0.0, -0.5 * THICKNESS, *standing])
    for axis, half in enumerate(scene["walls"] or ()):
        for side in (-1.0, 1.0):
            size, place = [SIZE, SIZE, SIZE], [0.0, 0.0, 0.0]
            size[axis] = THICKNESS
            place[axis] = side * (half + 0.5 * THICKNESS)
            statics.append(contactors(SiconosBox(size)))
            manager.insertStaticContactorSet(statics[-1], [*place, *standing])
    problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
    options = problem.numericsSolverOptions()
    options.dparam[sn.SICONOS_DPARAM_TOL] = scene["tol"]
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 10000
    problem.setMStorageType(1)
    problem.setKeepLambdaAndYState(True)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, h))
    simulation.insertIntegrator(sk.MoreauJeanOSI(0.5))
    simulation.insertNonSmoothProblem(problem)
    simulation.insertInteractionManager(manager)
    simulation.setNewtonOptions(sk.SICONOS_TS_LINEAR)
    alive.extend((manager, statics, problem, simulation))

    def step() -> None:
        simulation.computeOneStep()
        simulation.nextStep()

    def report() -> dict[str, Any]:
        return {"q": [list(body.q()) for body in bodies], "alive": len(alive)}

    return step, report


if __name__ == "__main__":
    pile_peer.enter(build)
