"""Hammering in the timing gears of a diesel engine: section 11.1 of Pfeiffer & Glocker."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.system import System
from nsmb.system.options import EventDriven
from nsmb.system.parametric import data_of, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears.timing_gear_data import FIRING_ORDER, MESHES, TimingGearsParameters
from nsmb.systems.gears.timing_gear_equations import lobes, template
from nsmb.systems.gears.timing_gear_scene import timing_gear_scene

__all__ = ["TimingGearsParameters", "timing_gears"]

Vector = NDArray[np.float64]


# five revolutions of the camshaft
@parametric(TimingGearsParameters, recommended=Recommended(EventDriven(rtol=1e-6), 0.4))
def timing_gears(p: TimingGearsParameters) -> System:
    """Timing gears of a twelve-cylinder diesel engine, whose flanks separate and hammer.

    The crankshaft prescribes the rotation of wheel 1. It drives wheel 2, the double wheel 3/4,
    wheel 5 and the elastic camshaft with six injection pumps, whose torques separate the flanks.

    ===========  =========================================================================
    coordinates  deviations from uniform rotation, in the sense of rotation of each wheel:
                 ``phi_2``, ``phi_34``, ``phi_5`` (rad); ``q_1``, ``q_2``, ... of the camshaft's
                 torsion, sin((2k-1)πz/2l) (rad); with the damper ``phi_D`` (rad); with bearings
                 ``x_2``, ``y_2``, ... (m)
    elements     ``12_front``, ``12_rear``, ``23_front``, ..., ``45_rear``: both flanks of each mesh
    period       120/speed, a revolution of the camshaft
    source       Pfeiffer & Glocker, section 11.1, (11.4)-(11.10), (11.13)-(11.18), (11.32)-(11.34);
                 torques and loads printed; speed, inertias, stiffnesses chosen
    ===========  =========================================================================

    `n` is the number of coordinates of side A with two shape functions. With 5 there is only
    torsion. Every two more coordinates add the bearing of a wheel: the idler (7), the double wheel
    (9), wheel 5 (11), wheel 1 (13), with the normals of both flanks at the pressure angle. Even
    numbers add the torsional damper at the free end of the camshaft. Each further shape function
    (`elastic`) adds one coordinate. Side B has no idler, one coordinate less, and bearings up to
    11.

    Flanks are elastic with the relaxing wall of (3.20)-(3.23): they close when they meet (11.32)
    and separate when the force between them is zero (11.33), with a remaining deflection. `oil`
    replaces part of the damping by that of the film in the backlash, exp(-gap/h), which pushes but
    does not pull. The closer it is to one, the smaller is the jump of the force when flanks meet.

    Torques of the pumps and harmonics of the crankshaft are functions of the prescribed rotation
    without the deviation, which is some 1e-3 rad, whereas a delivery takes 0.4 rad. The times of
    all their kinks are therefore known in advance. The inertia of the valve gear, which changes by
    a few per cent, is omitted, as in the book.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    system = template(p.layout).with_parameters(**p.values())
    system.scene = timing_gear_scene(p)
    return system


_data = functools.partial(data_of, TimingGearsParameters, "timing_gears")


@timing_gears.evaluation
def loads(system: System, torque: float | None = None) -> dict[str, float]:
    """Return the loads of the meshes under a constant torque at the camshaft, N.

    Parameters
    ----------
    system : System
    torque : float, optional
        Torque, N m; by default the mean torque, which gives the static loads of table 11.2. With
        `T_max` the loads are the quasi-static ones.

    Returns
    -------
    dict
        Loads by name of the mesh, ``12``, ``23`` and ``45``.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    p = _data("system", system)
    T = p.T_mean if torque is None else float(torque)
    # through the double wheel, r_3/r_4 = 2 r_1/r_5
    return {name: T / (p.r_5 if name == "45" else 2.0 * p.r_1) for name in MESHES[p.choice("side")]}


@timing_gears.evaluation
def torque(system: System, t: ArrayLike) -> Vector:
    """Return the torque of all pumps on the camshaft at times t, N m (fig. 11.7).

    Parameters
    ----------
    system : System
    t : array_like
        Times, s.

    Returns
    -------
    ndarray
        Torques, with the shape of `t`.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    p = _data("system", system)
    time = np.asarray(t, dtype=np.float64)
    rest, lobe = lobes(p)
    total = np.full(time.shape, rest)
    for k in range(len(FIRING_ORDER)):
        turned = np.pi * p.speed / 60.0 * time - np.pi / 3.0 * k
        angle = turned % (2.0 * np.pi)
        total += np.where(angle < p.b_1, lobe * np.sin(np.pi * angle / p.b_1) ** 2, 0.0)
        behind = (angle >= p.b_1) & (angle < p.b_1 + p.b_2)
        total -= np.where(behind, p.T_back * np.sin(np.pi * (angle - p.b_1) / p.b_2) ** 2, 0.0)
    return np.asarray(total)
