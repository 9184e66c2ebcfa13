"""Piles of spheres in Drake: point contacts with SAP, as stiff as possible."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddContactMaterial,
    HalfSpace,
    ProximityProperties,
    SceneGraph,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
    MultibodyPlant,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, DiagramBuilder

from benchmarks import pile_peer

STIFFNESS = 1e12  # N/m; SAP replaces it by the largest that it solves well (near-rigid regime)
MATRICES = 1.7  # dense mass matrices of all velocities that a step stores; measured


def properties_of(scene: dict[str, Any]) -> ProximityProperties:
    found = ProximityProperties()
    AddContactMaterial(
        point_stiffness=STIFFNESS,
        friction=CoulombFriction(scene["mu"], scene["mu"]),
        properties=found,
    )
    # The times of two bodies add up: two steps, as in MuJoCo.
    found.AddProperty("material", "relaxation_time", scene["step"])
    return found


def start(plant: MultibodyPlant, context: Context, scene: dict[str, Any]) -> None:
    """Convert states: Drake has rotations first, and angular velocity in fixed axes."""
    places = scene["spheres"]["r"]
    q = np.array([[*r, 1.0, 0.0, 0.0, 0.0] for r in places])
    u = np.zeros((len(places), 6))
    if scene.get("state"):
        q, u = (np.array(values).reshape(len(places), -1) for values in scene["state"])
        for pose, velocity in zip(q, u, strict=True):
            turned = Quaternion(pose[3:] / np.linalg.norm(pose[3:])).rotation()
            velocity[3:] = turned @ velocity[3:]
    plant.SetPositions(context, q[:, [3, 4, 5, 6, 0, 1, 2]].ravel())
    plant.SetVelocities(context, u[:, [3, 4, 5, 0, 1, 2]].ravel())


def build(scene: dict[str, Any]) -> tuple[pile_peer.Step, pile_peer.Report]:
    h = scene["step"]
    needed = MATRICES * 8.0 * (6.0 * len(scene["spheres"]["r"])) ** 2
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > 0.5 * there:
        raise MemoryError(f"steps take {needed / 1e9:.0f} GB of {there / 1e9:.0f}")
    builder = DiagramBuilder()
    plant = MultibodyPlant(time_step=h)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    plant.set_contact_model(ContactModel.kPoint)
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -scene["gravity"]])
    graph = SceneGraph()
    builder.AddSystem(plant)
    builder.AddSystem(graph)
    plant.RegisterAsSourceForSceneGraph(graph)
    material = properties_of(scene)

    def stand(name: str, inwards: list[float], place: list[float]) -> None:
        pose = HalfSpace.MakePose(np.array(inwards), np.array(place))
        plant.RegisterCollisionGeometry(plant.world_body(), pose, HalfSpace(), name, material)

    stand("floor", [0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    for axis, half in enumerate(scene["walls"] or ()):
        for side in (-1.0, 1.0):
            inwards, place = [0.0] * 3, [0.0] * 3
            inwards[axis], place[axis] = -side, side * half
            stand(f"wall {axis} {side:+.0f}", inwards, place)
    spheres = scene["spheres"]
    bodies = []
    for k, (mass, radius) in enumerate(zip(spheres["mass"], spheres["radius"], strict=True)):
        inertia = SpatialInertia(mass, np.zeros(3), UnitInertia.SolidSphere(radius))
        body = plant.AddRigidBody(f"s{k}", inertia)
        plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(radius), f"s{k}", material)
        bodies.append(body)
    plant.Finalize()
    builder.Connect(graph.get_query_output_port(), plant.get_geometry_query_input_port())
    builder.Connect(
        plant.get_geometry_pose_output_port(), graph.get_source_pose_port(plant.get_source_id())
    )
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    start(plant, context, scene)
    simulator.Initialize()
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        simulator.AdvanceTo(count * h)

    def report() -> dict[str, Any]:
        found = plant.GetPositions(context).reshape(-1, 7)[:, [4, 5, 6, 0, 1, 2, 3]]
        return {"q": found.tolist(), "version": version("drake")}

    return step, report


if __name__ == "__main__":
    pile_peer.enter(build)
