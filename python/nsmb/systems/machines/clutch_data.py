"""Data of a starting car, and its drive train as a chain: section 13.2 of Pfeiffer & Glocker."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.system.parametric import Parameters, parameter
from nsmb.systems._chains import Chain

__all__ = ["ClutchJudderParameters", "DriveTrain", "drive_train"]

_CAR = "chosen: size of an upper-middle-class car with six cylinders; the book gives no number"
_SHAFT = "chosen: size of a rear-axle drive; the book gives no number"
_ENGINE = "chosen: size of a six-cylinder engine; the book gives no number"
_LINING = "chosen: a lining that judders until the slip reverses; the book gives no number"
_TEN = "chosen: with it the car judders near 10 Hz while the clutch slips"
_FIVE = "chosen: with it the car swings near 5 Hz when the clutch sticks"
_START = "chosen: with it the slip reverses three times, and it is over after 3 to 4 s"
_DRAG = "chosen: the engine drags; if it drove, the torque would not swing to both sides"
_PHASE = "chosen: the book gives no number"


@dataclass(frozen=True, kw_only=True)
class ClutchJudderParameters(Parameters):
    """Data of engine, clutch, drive train and car, each for its own shaft; none is printed."""

    n: int = parameter(9, "-", "number of masses, 2 to 9", "printed: 2 to 9")
    b_0: float = parameter(0.3332, "-", "closing force at the start, of its largest value", _START)
    b_1: float = parameter(1.0, "-", "closing force from t_C on", "derived: T_ST and T_SL are its")
    t_C: float = parameter(10.8, "s", "time in which the clutch is closed", _START, positive=True)
    omega_0: float = parameter(177.7, "rad/s", "speed of the engine at the start", _START)
    v_0: float = parameter(1.524, "m/s", "speed of the car at the start", _START)
    k_in: float = parameter(-7.42, "N m", "torque of the engine at rest (13.14)", _DRAG)
    d_in: float = parameter(0.0, "N m s", "slope of the engine's characteristic", _DRAG)
    s_in_3: float = parameter(12.0, "N m", "third motor order, ignition of six cylinders", _ENGINE)
    s_in_6: float = parameter(4.0, "N m", "sixth motor order", _ENGINE)
    phi_in_3: float = parameter(0.0, "rad", "phase of the third motor order", _PHASE)
    phi_in_6: float = parameter(0.0, "rad", "phase of the sixth motor order", _PHASE)
    k_out: float = parameter(50.3, "N m", "road load at the wheels (13.15)", _START)
    T_ST: float = parameter(178.0, "N m", "greatest torque of the sticking clutch", _LINING)
    T_SL: float = parameter(48.6, "N m", "torque of the clutch at high slip", _LINING)
    k_r: float = parameter(2.63, "m/s", "slip over which the torque falls", _LINING, positive=True)
    r_m: float = parameter(0.1, "m", "mean radius of the clutch", _CAR, positive=True)
    s_Mot: float = parameter(0.0512, "-", "modulation by the engine (13.17)", _LINING)
    s_CL: float = parameter(0.0293, "-", "modulation by misalignment", _LINING)
    phi_CL: float = parameter(0.0, "rad", "phase of s_CL", _PHASE)
    s_GR: float = parameter(0.01, "-", "modulation by the gearbox's input", _LINING)
    s_CA_1: float = parameter(0.0899, "-", "modulation by axial vibrations, first order", _LINING)
    s_CA_2: float = parameter(0.01, "-", "modulation by axial vibrations, second order", _LINING)
    phi_CA_1: float = parameter(0.0, "rad", "phase of s_CA_1", _PHASE)
    phi_CA_2: float = parameter(0.0, "rad", "phase of s_CA_2", _PHASE)
    omega_A: float = parameter(62.7, "rad/s", "axial vibration, first order", _TEN)
    I_crank: float = parameter(0.045, "kg m²", "crankshaft", _ENGINE, positive=True)
    I_flywheel: float = parameter(0.248, "kg m²", "flywheel and cover", _FIVE, positive=True)
    I_disc: float = parameter(0.0223, "kg m²", "clutch disc", _TEN, positive=True)
    I_input: float = parameter(
        0.045, "kg m²", "gearbox, turning with its input", _TEN, positive=True
    )
    I_output: float = parameter(0.02, "kg m²", "output of the gearbox", _SHAFT, positive=True)
    I_pinion: float = parameter(0.03, "kg m²", "propeller shaft and pinion", _SHAFT, positive=True)
    I_axle: float = parameter(0.08, "kg m²", "differential", _SHAFT, positive=True)
    I_wheels: float = parameter(2.6, "kg m²", "both driven wheels", _CAR, positive=True)
    m_car: float = parameter(1700.0, "kg", "car", _CAR, positive=True)
    c_crank: float = parameter(2.5e5, "N m/rad", "crankshaft to flywheel", _ENGINE, positive=True)
    c_disc: float = parameter(2500.0, "N m/rad", "springs of the disc", _FIVE, positive=True)
    c_gear: float = parameter(2.0e4, "N m/rad", "gearbox, at its input", _SHAFT, positive=True)
    c_shaft: float = parameter(1.5e4, "N m/rad", "propeller shaft", _SHAFT, positive=True)
    c_pinion: float = parameter(6.0e4, "N m/rad", "pinion to ring gear", _SHAFT, positive=True)
    c_half: float = parameter(5.87e4, "N m/rad", "both half shafts", _TEN, positive=True)
    beta: float = parameter(2.0e-4, "s", "damping by stiffness of all springs", _LINING)
    i_G: float = parameter(3.8, "-", "ratio of the gearbox", "chosen: a first gear", positive=True)
    i_D: float = parameter(3.15, "-", "ratio of the differential", _CAR, positive=True)
    r: float = parameter(0.31, "m", "radius of the tyres", _CAR, positive=True)
    k_s: float = parameter(3.7e5, "N", "force of both tyres per slip (13.19)", _CAR, positive=True)
    v_min: float = parameter(
        1.69, "m/s", "least v_Nom: a tyre at rest rolls in", "chosen: (13.18) has a pole at rest",
        positive=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.n <= 9:
            raise ValueError(f"parameter 'n': expected a number from 2 to 9, got {self.n}")
        for name in ("b_0", "b_1", "v_0", "T_ST", "T_SL", "beta"):
            if getattr(self, name) < 0.0:
                got = getattr(self, name)
                raise ValueError(f"parameter {name!r}: expected a number >= 0, got {got:g}")
        parts = (self.s_Mot, self.s_CL, self.s_GR, self.s_CA_1, self.s_CA_2)
        if sum(map(abs, parts)) >= 1.0:
            raise ValueError(
                "parameters 's_Mot', 's_CL', 's_GR', 's_CA_1', 's_CA_2': must have a sum less "
                f"than 1, because the clutch does not push its discs apart, got {parts}"
            )

    @property
    def ratio(self) -> float:
        """Revolutions of the engine per revolution of the wheels."""
        return self.i_G * self.i_D

    @property
    def J_car(self) -> float:
        """Inertia of the car referred to the engine shaft, kg m²."""
        return self.m_car * (self.r / self.ratio) ** 2

    def closing(self, t: float) -> float:
        """Return the closing force at a time, as a fraction of its largest value."""
        return self.b_0 + (self.b_1 - self.b_0) * min(max(t / self.t_C, 0.0), 1.0)

    def torque(self, slip: float) -> float:
        """Return T_C (13.16) of the closed clutch without modulations, N m; slip in rad/s."""
        return self.T_SL + (self.T_ST - self.T_SL) * math.exp(-self.r_m * abs(slip) / self.k_r)

    def slope(self, slip: float) -> float:
        """Return dT_C/dω, N m s, negative where the torque decreases."""
        v_r = self.r_m * abs(slip)
        return -self.r_m * (self.T_ST - self.T_SL) / self.k_r * math.exp(-v_r / self.k_r)


@dataclass(frozen=True, eq=False)
class DriveTrain:
    """The chains on both sides of the clutch, referred to the engine shaft, with n masses."""

    engine: Chain | None
    """Chain of the engine; None if it keeps its speed, n = 2."""
    driven: Chain
    """Chain from the disc to the wheels; the last inertia includes the car if tyres do not slip."""
    is_car_apart: bool
    """True if the car is a separate mass behind the tyres, for n >= 4."""

    @property
    def disc(self) -> int:
        """Index of the disc, i_c of (13.9) counted from 0."""
        return 0 if self.engine is None else len(self.engine)

    @property
    def stuck(self) -> Chain:
        """Both sides as one chain, with the clutch sticking."""
        if self.engine is None:
            raise ValueError("`n`: must be from 3 to 9, got 2. The engine is not a mass with n=2.")
        flywheel = float(self.engine.I[-1])
        joined = self.driven.with_inertia(0, flywheel)
        if len(self.engine) == 1:
            return joined
        head = Chain(self.engine.I[:-1], self.engine.c[:-1], self.engine.d[:-1])
        return head.then(float(self.engine.c[-1]), joined, float(self.engine.d[-1]))


def drive_train(p: ClutchJudderParameters) -> DriveTrain:
    """Return the drive train with the nine masses of Fig. 13.9, or fewer, for (13.8)."""
    gearbox, axle = p.i_G**2, p.ratio**2
    engine = Chain.damped([p.I_crank, p.I_flywheel], [p.c_crank], p.beta)
    inertias = [p.I_disc, p.I_input, p.I_output / gearbox, p.I_pinion / gearbox]
    inertias += [p.I_axle / axle, p.I_wheels / axle + p.J_car]
    springs = [p.c_disc, p.c_gear, p.c_shaft / gearbox, p.c_pinion / gearbox, p.c_half / axle]
    driven = Chain.damped(inertias, springs, p.beta)
    if p.n == 2:
        return DriveTrain(None, driven.reduced(2), False)
    masses = 2 if p.n == 3 else p.n - 2 if p.n < 8 else p.n - 3
    return DriveTrain(engine.reduced(1 if p.n < 8 else 2), driven.reduced(masses), p.n > 3)
