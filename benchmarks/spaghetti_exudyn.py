"""A free beam that is thrown, in Exudyn: geometrically exact beams, generalised alpha.

Run by the interpreter that has it. One case per line of standard input, {"beam", "ends",
"elements", "steps", "t_end", "period"}; places of both ends and processor time on standard output.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
import warnings
from typing import Any

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
warnings.simplefilter("ignore", DeprecationWarning)

import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402
import numpy as np  # noqa: E402


def run(case: dict[str, Any]) -> dict[str, Any]:
    beam = case["beam"]

    def load(t: float) -> float:
        return max(0.0, 1.0 - abs(t / beam["rise"] - 1.0))

    container = exu.SystemContainer()
    system = container.AddSystem()
    first, last = (np.array(end) for end in case["ends"])
    count = case["elements"]
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
    turn = system.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0]))
    system.AddLoad(
        items.Force(
            markerNumber=turn, loadVector=[beam["force"], 0, 0],
            loadVectorUserFunction=lambda _system, t, vector: [load(t) * x for x in vector],
        )
    )  # fmt: skip
    system.AddLoad(
        items.Torque(
            markerNumber=turn, loadVector=[0, 0, beam["moment"]],
            loadVectorUserFunction=lambda _system, t, vector: [load(t) * x for x in vector],
        )
    )  # fmt: skip
    sensors = [
        system.AddSensor(
            items.SensorNode(
                nodeNumber=node, outputVariableType=exu.OutputVariableType.Position,
                storeInternal=True,
            )
        )
        for node in (nodes[0], nodes[-1])
    ]  # fmt: skip
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = case["steps"]
    settings.timeIntegration.endTime = case["t_end"]
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = 1e-8
    settings.timeIntegration.newton.absoluteTolerance = 1e-7
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = case["period"]
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    begin = time.process_time()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    seconds = time.process_time() - begin
    data = [np.array(system.GetSensorStoredData(sensor)) for sensor in sensors]
    return {
        "t": data[0][:, 0].tolist(),
        "ends": np.stack([one[:, 1:3] for one in data], axis=1).tolist(),
        "seconds": seconds,
        "version": exu.__version__,
    }


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(run(json.loads(line))), file=results, flush=True)
