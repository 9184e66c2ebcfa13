"""The beam on a hub that gains speed in Exudyn: ANCF cables, generalised alpha.

Run by the interpreter that has it. One case per line of standard input, {"beam", "elements",
"steps", "t_end", "period"}; where the tip is across a rigid beam, and processor time, on standard
output.
"""

from __future__ import annotations

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
from exudyn.beams import GenerateStraightLineANCFCable2D  # noqa: E402


def run(case: dict[str, Any]) -> dict[str, Any]:
    beam, T, omega = case["beam"], case["beam"]["T"], case["beam"]["omega"]
    c = 2.0 * np.pi / T

    def theta(t: float) -> float:
        if t >= T:
            return omega * (t - 0.5 * T)
        return omega / T * (0.5 * t**2 + (np.cos(c * t) - 1.0) / c**2)

    container = exu.SystemContainer()
    system = container.AddSystem()
    cable = items.Cable2D(
        physicsMassPerLength=beam["rho_A"],
        physicsBendingStiffness=beam["EI"],
        physicsAxialStiffness=beam["EA"],
    )
    nodes = GenerateStraightLineANCFCable2D(
        system, [0, 0, 0], [beam["L"], 0, 0], case["elements"], cable,
        fixedConstraintsNode0=[1, 1, 0, 0], fixedConstraintsNode1=[0, 0, 0, 0],
    )[0]  # fmt: skip
    ground = system.AddNode(items.NodePointGround())
    still = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    # The clamp: the slope of the first node has the direction of the hub.
    for k, offset in (
        (2, lambda _system, t, _item, _value: np.cos(theta(t)) - 1.0),
        (3, lambda _system, t, _item, _value: np.sin(theta(t))),
    ):
        moved = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(
            items.CoordinateConstraint(markerNumbers=[still, moved], offsetUserFunction=offset)
        )
    sensor = system.AddSensor(
        items.SensorNode(
            nodeNumber=nodes[-1],
            outputVariableType=exu.OutputVariableType.Position,
            storeInternal=True,
        )
    )
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = case["steps"]
    settings.timeIntegration.endTime = case["t_end"]
    settings.timeIntegration.verboseMode = 0
    # With the tolerance it has as it comes, 1e-10, Newton's method does not converge here.
    settings.timeIntegration.newton.relativeTolerance = 1e-8
    settings.timeIntegration.newton.absoluteTolerance = 1e-6
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = case["period"]
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    begin = time.process_time()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    seconds = time.process_time() - begin
    data = np.array(system.GetSensorStoredData(sensor))
    angle = np.array([theta(t) for t in data[:, 0]])
    across = np.cos(angle) * data[:, 2] - np.sin(angle) * data[:, 1]
    return {
        "t": data[:, 0].tolist(),
        "across": across.tolist(),
        "seconds": seconds,
        "version": exu.__version__,
    }


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as results, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(run(json.loads(line))), file=results, flush=True)
