"""Beams with large bending in nsmb and in Exudyn: error and processor time, in one run.

The error is the largest one over all times, compared with many elements and short steps in Exudyn.
Only the solver is timed, as the minimum of three runs. Both programs call Python functions for the
hub or the loads. The computation of modes in nsmb and the assembly of elements in Exudyn are not
timed. The elements of Exudyn bend without limit, those of nsmb by slopes of tenths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from benchmarks.harness import FOUND, MissingError, Peer, benchmark, peer, timed
from nsmb.systems.flexible.spin_up_beam import _run_up

Array = NDArray[np.float64]
PERIOD = 0.1
HUB = {"L": 10.0, "EA": 2.8e7, "EI": 1.4e4, "rho_A": 1.2, "omega": 6.0, "T": 15.0}
FREE = {"EA": 1e4, "GA": 1e4, "EI": 500.0, "rho_A": 1.0, "rise": 2.5, "moment": 80.0, "force": 8.0}
ENDS = np.array([[6.0, 0.0], [0.0, 8.0]])
FORCE, MOMENT = np.array([FREE["force"], 0.0, 0.0]), np.array([0.0, 0.0, FREE["moment"]])
LOOSE = nsmb.EventDriven(rtol=1e-4, atol=1e-6)


@dataclass(frozen=True)
class Comparison:
    """The cases of both programs; `shown` converts positions to the compared quantity."""

    t_end: float
    order: dict[str, Any]
    shown: Callable[[Array, Array], Array]
    ours: list[tuple[str, nsmb.MultibodySystem, Any, list[str]]]
    """Name, system, method and markers of each case."""
    theirs: list[tuple[int, int]]
    """Elements and step sizes of each case."""
    fine: tuple[int, int]
    elements: str

    @property
    def times(self) -> Array:
        return np.arange(0.0, self.t_end + 0.5 * PERIOD, PERIOD)

    def exudyn(self, process: Peer, case: tuple[int, int], repeats: int) -> tuple[Array, float]:
        """Return the compared quantity at the times, and the processor time in s."""
        order = {"elements": case[0], "steps": case[1], "t_end": self.t_end, "period": PERIOD}
        runs = [process.run(**order, **self.order) for _ in range(repeats)]
        t, ends = np.array(runs[0]["t"]), np.array(runs[0]["ends"])
        found = self.shown(t, ends).reshape(len(t), -1)
        columns = [np.interp(self.times, t, column) for column in found.T]
        return np.column_stack(columns), min(run["seconds"] for run in runs)

    def measure(self, repeats: int) -> dict[str, Any]:
        with peer("exudyn", "exudyn_peer") as process:
            if process is None:
                raise MissingError("it needs Exudyn")
            fine, _ = self.exudyn(process, self.fine, 1)
            rows = []
            for name, system, method, markers in self.ours:
                options = {"method": method, "output_times": self.times}
                sol, seconds = timed(
                    lambda s=system, o=options: nsmb.simulate(s, self.t_end, **o), repeats
                )
                places = np.array(
                    [
                        [system.position(marker, t, q)[:2] for marker in markers]
                        for t, q in zip(self.times, sol.at(self.times).q, strict=True)
                    ]
                )
                found = self.shown(self.times, places).reshape(len(places), -1)
                rows.append(("nsmb", name, found, seconds))
            for count, steps in self.theirs:
                name = f"{count} {self.elements}, steps of {1e3 * self.t_end / steps:g} ms"
                rows.append(("Exudyn", name, *self.exudyn(process, (count, steps), repeats)))
        return {
            "version": FOUND["exudyn"],
            "largest": float(np.abs(fine).max()),
            "end": fine[-1].tolist(),
            "rows": [
                {
                    "program": program,
                    "case": name,
                    "error": float(self.distance(found, fine).max()),
                    "time": seconds / self.t_end,
                }
                for program, name, found, seconds in rows
            ],
        }

    @staticmethod
    def distance(a: Array, b: Array) -> Array:
        """Return distances, shape (times, points), of positions or of one number."""
        apart = a - b
        if apart.shape[1] == 1:
            return np.abs(apart)
        return np.asarray(np.linalg.norm(apart.reshape(len(a), -1, 2), axis=2))


def piece(beam: dict[str, float], length: float, elements: int, area: float) -> Any:
    """Create a piece of a beam, stiffened separately."""
    parts = nsmb.flexible.beam(
        [(length * k / elements, 0.0) for k in range(elements + 1)],
        E=beam["EA"] / area,
        density=beam["rho_A"] / area,
        area=area,
        I_z=beam["EI"] * area / beam["EA"],
    )
    frame = nsmb.flexible.NodalFrame(0)
    return nsmb.flexible.reduce(
        parts, 0, method="craig-bampton", interface=[0, elements], frame=frame, stiffening=True
    )


def spin_up_pieces(count: int) -> nsmb.MultibodySystem:
    area = HUB["rho_A"] * HUB["EI"] / (6e-4 * HUB["EA"])
    body = piece(HUB, HUB["L"] / count, 8, area)
    m = nsmb.Model()
    last, place = m.ground, {}
    for k in range(count):
        part = m.add_elastic_body(f"piece_{k}", body)
        if k == 0:
            motion = _run_up(HUB["omega"], HUB["T"])
            m.add_joint("hub", nsmb.joints.Revolute(), last, part, motion=motion)
        else:
            m.add_joint(f"weld_{k}", nsmb.joints.Fixed(), last, part, **place)
        last, place = part, {"at": 8}
    last.marker("tip", at=8, is_output=True)
    return m.build()


def across(t: Array, ends: Array) -> Array:
    """Return the lateral deviation of the tip from a rigid beam, m."""
    run_up = _run_up(HUB["omega"], HUB["T"])
    theta = np.array([run_up(instant)[0] for instant in t])
    return np.asarray(np.cos(theta) * ends[:, 0, 1] - np.sin(theta) * ends[:, 0, 0])


@benchmark("spin_up", "The beam on a hub that gains speed beside cables in Exudyn", alone=True)
def spin_up(repeats: int = 3) -> dict[str, Any]:
    """Measure `nsmb.systems.spin_up_beam` for 20 s.

    nsmb has one floating frame and a few modes with displacements of second order, or four pieces.
    Exudyn has absolute coordinates of ANCF cables (Cable2D).
    """
    few, many = (nsmb.systems.spin_up_beam(**n) for n in ({"bending": 3, "stretching": 1}, {}))
    coarse, fine = nsmb.Midpoint(1e-2), nsmb.Midpoint(1e-3)
    rough, exact = (nsmb.EventDriven(rtol=r, atol=1e-2 * r) for r in (1e-6, 1e-8))
    tip = ["beam.tip"]
    # With Exudyn's default, 1e-10, Newton's method does not converge here.
    return Comparison(
        t_end=20.0,
        order={"beam": HUB, "absolute": 1e-6},
        shown=across,
        ours=[
            ("3 + 1 modes, steps of 10 ms", few, coarse, tip),
            ("3 + 1 modes, steps of 1 ms", few, fine, tip),
            ("3 + 1 modes, error 1e-6", few, rough, tip),
            ("4 + 2 modes, error 1e-8", many, exact, tip),
            ("4 pieces, steps of 1 ms", spin_up_pieces(4), fine, ["piece_3.tip"]),
        ],
        theirs=[(4, 2000), (8, 2000), (8, 20000), (16, 20000)],
        fine=(32, 20000),
        elements="cables",
    ).measure(repeats)


def thrown_pieces(count: int, elements: int) -> nsmb.MultibodySystem:
    along = ENDS[1] - ENDS[0]
    # Only products with the area matter.
    body = piece(FREE, float(np.linalg.norm(along)) / count, elements, area=1e-4)
    m = nsmb.Model(gravity=(0.0, 0.0))
    last, place = m.ground, {}

    def load(t: float, *_: Any) -> tuple[Array, Array]:
        part = max(0.0, 1.0 - abs(t / FREE["rise"] - 1.0))
        return part * FORCE, part * MOMENT

    for k in range(count):
        part = m.add_elastic_body(f"piece_{k}", body)
        joint = nsmb.joints.Planar() if k == 0 else nsmb.joints.Fixed()
        m.add_joint(f"joint_{k}", joint, last, part, **place)
        if k == 0:
            kinks = [FREE["rise"], 2.0 * FREE["rise"]]
            m.add_load("throw", part, load, discontinuities=kinks)
            part.marker("low", is_output=True)
        last, place = part, {"at": elements}
    last.marker("high", at=elements, is_output=True)
    start = (*ENDS[0], float(np.arctan2(along[1], along[0])))
    return m.build(initial={"joint_0": start})


@benchmark("spaghetti", "A free beam that is thrown, beside exact beams in Exudyn", alone=True)
def spaghetti(repeats: int = 3) -> dict[str, Any]:
    """Measure the ends of Simo and Vu-Quoc's beam (J. Appl. Mech. 53, 1986) over 10 s.

    The beam is 10 m long, with EA = GA = 1e4 N, EI = 500 N m² and 1 kg/m, at rest from (6, 0) to
    (0, 8) m. At its lower end a force along x and a moment about z increase to 8 N and 80 N m
    within 2.5 s and vanish within the same time. The inertia of cross-sections is that of a section
    with this EA and EI, 0.05 kg m, where the source has 10. nsmb welds pieces with displacements of
    second order, which do not shear. Exudyn has geometrically exact beams, which do.
    """
    return Comparison(
        t_end=10.0,
        order={"beam": FREE, "absolute": 1e-7, "ends": ENDS.tolist()},
        shown=lambda _, ends: ends,
        ours=[
            (
                f"{count} pieces of {n} elements",
                thrown_pieces(count, n),
                method,
                ["piece_0.low", f"piece_{count - 1}.high"],
            )
            for count, n, method in (
                (8, 2, nsmb.EventDriven(rtol=1e-5, atol=1e-7)),
                (16, 2, LOOSE),
                (32, 1, LOOSE),
            )
        ],
        theirs=[(16, 1000), (64, 1000), (128, 2000)],
        fine=(256, 10000),
        elements="beams",
    ).measure(repeats)
