"""Involute gears: geometry, pairs and trains as force elements of a model, and rattling trains.

Angles are in rad. Equation numbers: Ebrahimi, A Contribution to Computational Contact Procedures in
Flexible Multibody Systems, Stuttgart 2007, chapter 7.
"""

from typing import Any as _Any

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.gears.contacts import GearContacts as GearContacts
from nsmb.gears.gear import Gear as Gear
from nsmb.gears.pair import GearPair as GearPair
from nsmb.gears.rattling import DriveWheel as DriveWheel
from nsmb.gears.rattling import LooseWheel as LooseWheel
from nsmb.gears.rattling import RattlingTrain as RattlingTrain
from nsmb.gears.teeth import ElasticTeeth as ElasticTeeth
from nsmb.gears.train import GearTrain as GearTrain
from nsmb.geometry.contours.involute_function import inverse_involute as inverse_involute
from nsmb.geometry.contours.involute_function import involute as involute

__all__ = [
    "DriveWheel",
    "ElasticTeeth",
    "Gear",
    "GearContacts",
    "GearPair",
    "GearTrain",
    "LooseWheel",
    "RattlingTrain",
    "inverse_involute",
    "involute",
]


def __getattr__(name: str) -> _Any:
    raise _unknown_attribute(__name__, name, __all__)
