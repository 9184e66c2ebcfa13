"""Wheels of a car gearbox, loose and loaded: fig. 12.1 of Pfeiffer & Glocker."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb.gears.rattling import DriveWheel, LooseWheel, RattlingTrain
from nsmb.system.parametric import Parameters, parameter

__all__ = ["GEARBOX_CHOSEN", "GEARBOX_SIZE", "GearboxWheels"]

GEARBOX_CHOSEN = "chosen: near the normalised data of Pfeiffer & Glocker, fig. 12.3"
GEARBOX_SIZE = "chosen: size of a car's gearbox"
_RATIO = "chosen: ratio 1.5 r/R of the gear between its neighbours, distance of the shafts 74 mm"
_GEARS = ("first", "second", "third", "fourth", "fifth", "reverse")
_FEW = "first and third"


@dataclass(frozen=True, kw_only=True)
class GearboxWheels(Parameters):
    """Data of a gearbox of five gears and reverse with a direct fourth gear (fig. 12.1).

    The book gives no numbers.
    """

    r_e: float = parameter(
        0.03, "m", "base radius of the drive, constant mesh", GEARBOX_SIZE, positive=True
    )
    r_counter: float = parameter(
        0.045, "m", "countershaft in the constant mesh", GEARBOX_SIZE, positive=True
    )
    R_first: float = parameter(0.018, "m", "countershaft in the mesh of first gear", GEARBOX_SIZE)
    r_first: float = parameter(0.055, "m", "loose wheel of first gear", GEARBOX_SIZE)
    R_second: float = parameter(0.025, "m", "countershaft in the mesh of second gear", _RATIO)
    r_second: float = parameter(0.049, "m", "loose wheel of second gear", _RATIO)
    R_third: float = parameter(0.032, "m", "countershaft in the mesh of third gear", GEARBOX_SIZE)
    r_third: float = parameter(0.042, "m", "loose wheel of third gear", GEARBOX_SIZE)
    R_fifth: float = parameter(0.048, "m", "countershaft in the mesh of fifth gear", _RATIO)
    r_fifth: float = parameter(0.026, "m", "loose wheel of fifth gear", _RATIO)
    R_idler: float = parameter(0.018, "m", "countershaft in the mesh of the idler", GEARBOX_SIZE)
    r_idler: float = parameter(0.025, "m", "idler of reverse gear, both meshes", GEARBOX_SIZE)
    r_reverse: float = parameter(0.055, "m", "loose wheel of reverse gear", GEARBOX_SIZE)
    I_counter: float = parameter(
        2e-3, "kg m²", "moment of inertia of the countershaft", GEARBOX_SIZE
    )
    I_first: float = parameter(2e-3, "kg m²", "first gear", GEARBOX_SIZE)
    I_second: float = parameter(1.5e-3, "kg m²", "second gear", GEARBOX_SIZE, positive=True)
    I_third: float = parameter(1e-3, "kg m²", "third gear", GEARBOX_SIZE)
    I_fifth: float = parameter(3e-4, "kg m²", "fifth gear", GEARBOX_SIZE, positive=True)
    I_idler: float = parameter(2e-4, "kg m²", "idler", GEARBOX_SIZE)
    I_reverse: float = parameter(2e-3, "kg m²", "reverse gear", GEARBOX_SIZE)
    v: float = parameter(1e-4, "m", "backlash of all meshes", GEARBOX_SIZE)
    e: float = parameter(0.9, "-", "restitution of all flanks", GEARBOX_CHOSEN)
    beta: float = parameter(0.1, "-", "damping d/(I ω) of all wheels", GEARBOX_CHOSEN)
    T: float = parameter(0.02, "N m", "drag moment of all wheels", GEARBOX_CHOSEN)
    gear: int | str = parameter(
        "fourth", "-", "gear that is engaged", "printed: fig. 12.1, the fourth direct",
        choices=_GEARS,
    )  # fmt: skip
    loose: int | str = parameter(
        _FEW, "-", "forward gears with a loose wheel", "chosen: one of each kind",
        choices=(_FEW, "all"),
    )  # fmt: skip

    def train(self, A: float, omega: float, omega_d: float) -> RattlingTrain:
        """Return the loose wheels behind a drive A sin ωt, with the damping d = beta I omega_d."""
        engaged = self.choice("gear")

        def wheel(name: str, parent: str | None, R: float | None = None) -> LooseWheel:
            I, r = getattr(self, f"I_{name}"), getattr(self, f"r_{name}")
            d = self.beta * I * omega_d
            return LooseWheel(name, I, r, self.v, self.e, d, self.T, parent, R)

        shaft = "counter" if engaged == "fourth" else None
        if shaft is not None:
            drive, wheels = DriveWheel(A, omega, self.r_e), [wheel(shaft, None)]
        else:
            # A loaded countershaft follows: e = r_e φ_e = r_counter φ_counter.
            drive = DriveWheel(A * self.r_e / self.r_counter, omega, self.r_counter)
            wheels = []
        all_loose = self.choice("loose") == "all"
        for name in ("first", "second", "third", "fifth") if all_loose else ("first", "third"):
            if name != engaged:
                wheels.append(wheel(name, shaft, getattr(self, f"R_{name}")))
        if engaged != "reverse":
            wheels.append(wheel("idler", shaft, self.R_idler))
            wheels.append(wheel("reverse", "idler"))
        return RattlingTrain(drive, wheels)
