"""Beams in Exudyn by generalised alpha, run by an interpreter that has Exudyn."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np
from exudyn.beams import GenerateStraightLineANCFCable2D

from benchmarks.peer import serve, timed


def spun_up(system: Any, beam: dict[str, float], count: int, clamp: Any) -> list[Any]:
    """Build ANCF cables on the hub; the slope of the first node has the direction of the hub."""
    cable = items.Cable2D(
        physicsMassPerLength=beam["rho_A"],
        physicsBendingStiffness=beam["EI"],
        physicsAxialStiffness=beam["EA"],
    )
    nodes = GenerateStraightLineANCFCable2D(
        system, [0, 0, 0], [beam["L"], 0, 0], count, cable,
        fixedConstraintsNode0=[1, 1, 0, 0], fixedConstraintsNode1=[0, 0, 0, 0],
    )[0]  # fmt: skip
    ground = system.AddNode(items.NodePointGround())
    still = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k, offset in (
        (2, lambda _system, t, _item, _value: np.cos(clamp(t)) - 1.0),
        (3, lambda _system, t, _item, _value: np.sin(clamp(t))),
    ):
        moved = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(
            items.CoordinateConstraint(markerNumbers=[still, moved], offsetUserFunction=offset)
        )
    return [nodes[-1]]


def thrown(system: Any, beam: dict[str, float], count: int, ends: list[list[float]]) -> list[Any]:
    """Build free, geometrically exact beams with a force and a moment at the first end."""
    first, last = (np.array(end) for end in ends)
    nodes = [
        system.AddNode(
            items.NodeRigidBody2D(referenceCoordinates=[*(first + k / count * (last - first)), 0.0])
        )
        for k in range(count + 1)
    ]
    for pair in itertools.pairwise(nodes):
        system.AddObject(
            items.ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair),
                physicsLength=float(np.linalg.norm(last - first)) / count,
                physicsMassPerLength=beam["rho_A"],
                physicsCrossSectionInertia=beam["rho_A"] * beam["EI"] / beam["EA"],
                physicsBendingStiffness=beam["EI"],
                physicsAxialStiffness=beam["EA"],
                physicsShearStiffness=beam["GA"],
            )
        )
    marker = system.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0]))

    def load(_system: Any, t: float, vector: list[float]) -> list[float]:
        part = max(0.0, 1.0 - abs(t / beam["rise"] - 1.0))
        return [part * x for x in vector]

    for kind, vector in (
        (items.Force, [beam["force"], 0, 0]), (items.Torque, [0, 0, beam["moment"]])
    ):  # fmt: skip
        system.AddLoad(kind(markerNumber=marker, loadVector=vector, loadVectorUserFunction=load))
    return [nodes[0], nodes[-1]]


def hub(beam: dict[str, float]) -> Any:
    """Return the angle over time: the speed increases for T and is then omega."""
    T, omega = beam["T"], beam["omega"]
    c = 2.0 * np.pi / T

    def theta(t: float) -> float:
        if t >= T:
            return float(omega * (t - 0.5 * T))
        return float(omega / T * (0.5 * t**2 + (np.cos(c * t) - 1.0) / c**2))

    return theta


def run(
    beam: dict[str, float],
    elements: int,
    steps: int,
    t_end: float,
    period: float,
    absolute: float,
    ends: list[list[float]] | None = None,
) -> dict[str, Any]:
    """Return positions of ends, shape (samples, ends, 2), and processor time of the solver, s.

    A beam with `ends` is thrown, and one without is on a hub. `absolute` is the tolerance of
    Newton's method.
    """
    container = exu.SystemContainer()
    system = container.AddSystem()
    if ends is None:
        seen = spun_up(system, beam, elements, hub(beam))
    else:
        seen = thrown(system, beam, elements, ends)
    position = exu.OutputVariableType.Position
    sensors = [
        system.AddSensor(
            items.SensorNode(nodeNumber=node, outputVariableType=position, storeInternal=True)
        )
        for node in seen
    ]
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = t_end
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.relativeTolerance = 1e-8
    settings.timeIntegration.newton.absoluteTolerance = absolute
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = period
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    alpha = exu.DynamicSolverType.GeneralizedAlpha
    _, seconds = timed(lambda: system.SolveDynamic(settings, solverType=alpha))
    data = [np.array(system.GetSensorStoredData(sensor)) for sensor in sensors]
    return {
        "t": data[0][:, 0].tolist(),
        "ends": np.stack([one[:, 1:3] for one in data], axis=1).tolist(),
        "seconds": seconds,
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)  # for every element
    serve(run)
