"""The twelve gears of a car gearbox: table 7.3 of Ebrahimi (2007)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GEARS", "PAIRS", "SHAFTS", "GearData", "PairData"]


class GearData(NamedTuple):
    """Data of one gear."""

    z: int
    inertia: float
    """Moment of inertia, kg m²."""
    x: float
    shaft: str
    """Shaft on which the gear rotates."""


class PairData(NamedTuple):
    """Data of two gears in mesh."""

    first: str
    second: str
    m_n: float
    """Normal module, m."""
    distance: float
    """Centre distance, m."""


SHAFTS = ("driving", "transmission", "output", "idler")
GEARS = {
    "G1": GearData(30, 0.833e-3, 0.254, "driving"),
    "G2": GearData(43, 2.880e-3, 0.149, "transmission"),
    "G3": GearData(37, 1.135e-3, 0.235, "transmission"),
    "G4": GearData(32, 1.030e-3, 0.299, "output"),
    "G5": GearData(31, 0.967e-3, 0.359, "transmission"),
    "G6": GearData(36, 1.120e-3, 0.357, "output"),
    "G7": GearData(23, 0.291e-3, 0.422, "transmission"),
    "G8": GearData(40, 2.010e-3, 0.226, "output"),
    "G9": GearData(16, 0.306e-3, 0.149, "transmission"),
    "G10": GearData(47, 2.860e-3, 0.149, "output"),
    "G11": GearData(26, 0.312e-3, 0.254, "idler"),
    "G12": GearData(42, 2.201e-3, 0.149, "output"),
}
PAIRS = {
    "D": PairData("G1", "G2", 0.00185, 0.08),
    "4": PairData("G3", "G4", 0.00194, 0.08),
    "3": PairData("G5", "G6", 0.002, 0.08),
    "2": PairData("G7", "G8", 0.00209, 0.08),
    "1": PairData("G9", "G10", 0.00214, 0.08),
    "R1": PairData("G9", "G11", 0.00214, 0.0543),
    "R2": PairData("G11", "G12", 0.00214, 0.086),
}
