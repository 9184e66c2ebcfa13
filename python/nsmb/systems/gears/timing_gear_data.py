"""Data of the timing gears of section 11.1, and the options that change the equations."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb.system.parametric import Parameters, parameter

__all__ = ["FIRING_ORDER", "MESHES", "Layout", "TimingGearsParameters"]

_FIT = "chosen: calibrated to the dynamic loads of table 11.2; the book gives none"
_SIZE = "chosen: size of the wheels of a 3000 kW engine; the book gives none"
_ROLLER = "chosen: as stiff as roller bearings of that size; the book gives none"
_PICTURE = "chosen: drawn after fig. 11.13, which gives no number"
_EFFECTIVE = "derived: torque over load in both columns of table 11.2"

FIRING_ORDER = (1, 5, 3, 6, 2, 4)
"""Pumps along the camshaft, in the order in which they deliver."""
MESHES = {"A": ("12", "23", "45"), "B": ("12", "45")}
"""Names of the meshes by side; side B has no idler, and its mesh 12 is that of wheels 1 and 3."""


@dataclass(frozen=True)
class Layout:
    """Options that change the equations, not only their numbers."""

    n: int
    elastic: int
    side: str
    bearings: str
    oil: bool

    @property
    def damper(self) -> bool:
        """True if there is a damper, for even sizes."""
        return self.n % 2 == 0

    @property
    def wheels(self) -> tuple[str, ...]:
        """Wheels from the crankshaft to the camshaft; wheels 3 and 4 are one body."""
        return ("1", "2", "34", "5") if self.side == "A" else ("1", "34", "5")

    @property
    def on_bearings(self) -> tuple[str, ...]:
        """Wheels that move in their bearings, one for every two of `n` above five."""
        order = [name for name in ("2", "34", "5", "1") if name in self.wheels]
        return tuple(order[: (self.n - 5) // 2])

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates in order."""
        names = [f"phi_{name}" for name in self.wheels[1:]]
        names += [f"q_{k + 1}" for k in range(self.elastic)]
        names += ["phi_D"] if self.damper else []
        return (*names, *(f"{axis}_{name}" for name in self.on_bearings for axis in "xy"))

    @property
    def units(self) -> list[str]:
        """Units of the coordinates; those of the Ritz functions are angles."""
        return ["m" if name[0] in "xy" else "rad" for name in self.coordinates]


@dataclass(frozen=True, kw_only=True)
class TimingGearsParameters(Parameters):
    """Data of the train."""

    speed: float = parameter(1060.0, "1/min", "crankshaft", _FIT, positive=True)
    n: int = parameter(5, "-", "coordinates of side A with two functions", "printed: 5 to 13")
    side: int | str = parameter(
        "A", "-", "A: with idler, B: without", "printed: fig. 11.13", choices=("A", "B")
    )
    elastic: int = parameter(2, "-", "functions of the camshaft", "printed: two suffice")
    bearings: int | str = parameter(
        "roller", "-", "(11.9) or (11.10)", "printed: both", choices=("roller", "journal")
    )
    r_1: float = parameter(0.1099, "m", "base radius, crankshaft", _EFFECTIVE, positive=True)
    r_2: float = parameter(0.114, "m", "base radius, idler", _SIZE, positive=True)
    r_3: float = parameter(0.183, "m", "base radius, double wheel in 2/3", _SIZE, positive=True)
    r_5: float = parameter(0.1358, "m", "base radius, camshaft", _EFFECTIVE, positive=True)
    J_2: float = parameter(0.207, "kg m²", "idler", _FIT, positive=True)
    J_34: float = parameter(0.801, "kg m²", "double wheel", _FIT, positive=True)
    J_5: float = parameter(0.381, "kg m²", "wheel of the camshaft", _FIT, positive=True)
    m_1: float = parameter(40.0, "kg", "crankshaft's wheel and its end", _SIZE, positive=True)
    m_2: float = parameter(15.0, "kg", "idler", _SIZE, positive=True)
    m_34: float = parameter(40.0, "kg", "double wheel", _SIZE, positive=True)
    m_5: float = parameter(30.0, "kg", "camshaft's wheel and its end", _SIZE, positive=True)
    l: float = parameter(2.0, "m", "camshaft", _SIZE, positive=True)
    rho_I: float = parameter(0.0875, "kg m", "ρ I_p of the camshaft", _FIT, positive=True)
    GI: float = parameter(3.55e5, "N m²", "G I_p of the camshaft", _FIT, positive=True)
    D_S: float = parameter(0.0292, "-", "damping ratio of its functions", "chosen: with cams' drag")
    c_12: float = parameter(1.9e8, "N/m", "teeth of mesh 1/2", _FIT, positive=True)
    c_23: float = parameter(4.98e8, "N/m", "teeth of mesh 2/3", _FIT, positive=True)
    c_45: float = parameter(2.01e8, "N/m", "teeth of mesh 4/5", _FIT, positive=True)
    d_M: float = parameter(2.31e4, "N s/m", "damping of teeth in contact", _FIT, positive=True)
    s: float = parameter(1.49e-4, "m", "backlash, nominal", _FIT)
    oil: float = parameter(0.1, "-", "part of d_M that is oil", "chosen: weak; in [0, 1)")
    h: float = parameter(2.0e-5, "m", "gap at which oil damps 1/e", "chosen: a fifth of s",
                         positive=True)  # fmt: skip
    T_mean: float = parameter(430.0, "N m", "mean torque of the camshaft", "printed: fig. 11.7")
    T_max: float = parameter(
        2516.0, "N m", "peak torque", "printed: 2520; with 2516 table 11.2 agrees to its last digit"
    )
    T_back: float = parameter(223.0, "N m", "torque after a delivery, driving", _FIT)
    b_1: float = parameter(0.411, "rad", "cam angle of a delivery", _FIT, positive=True)
    b_2: float = parameter(0.352, "rad", "cam angle of what follows", _FIT, positive=True)
    A_3: float = parameter(1.0e-4, "rad", "crankshaft, third order", "chosen: a bank's firing")
    A_6: float = parameter(2.0e-4, "rad", "crankshaft, sixth order", "chosen: both banks' firing")
    J_D: float = parameter(0.25, "kg m²", "ring of the damper", _FIT, positive=True)
    f_D: float = parameter(80.0, "Hz", "damper alone", "chosen: tuned to the camshaft")
    D_D: float = parameter(0.25, "-", "damping ratio of the damper", "chosen: tuned")
    c_B: float = parameter(1.5e9, "N/m", "roller bearing", _ROLLER, positive=True)
    d_B: float = parameter(5.0e4, "N s/m", "roller bearing", _ROLLER)
    eps_B: float = parameter(0.7, "-", "journal bearing: eccentricity", "chosen: well loaded")
    delta_B: float = parameter(3.0e-5, "m", "journal bearing: clearance", _SIZE, positive=True)
    alpha: float = parameter(0.349, "rad", "pressure angle", "chosen: 20°, usual")
    a_12: float = parameter(1.2, "rad", "direction from wheel 1 to the next", _PICTURE)
    a_23: float = parameter(2.2, "rad", "direction from wheel 2 to 3", _PICTURE)
    a_45: float = parameter(1.3, "rad", "direction from wheel 4 to 5", _PICTURE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._within("n", 5, 13 if self.choice("side") == "A" else 11)
        self._within("elastic", 1, 12)
        for name, low, high in (("oil", 0.0, 1.0), ("eps_B", 0.0, 1.0)):
            value = getattr(self, name)
            if not low <= value < high or (name == "eps_B" and value == 0.0):
                raise ValueError(f"parameter {name!r}: expected a number in [0, 1), got {value:g}")
        for name in ("s", "D_S", "D_D", "d_B"):
            if getattr(self, name) < 0.0:
                raise ValueError(
                    f"parameter {name!r}: expected a number >= 0, got {getattr(self, name):g}"
                )

    def _within(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if not low <= value <= high:
            raise ValueError(
                f"parameter {name!r}: expected a whole number from {low} to {high}, got {value}"
            )

    @property
    def layout(self) -> Layout:
        """Options on which the equations depend."""
        return Layout(
            self.n, self.elastic, self.choice("side"), self.choice("bearings"), self.oil > 0.0
        )
