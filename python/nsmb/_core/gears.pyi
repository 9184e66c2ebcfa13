from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from nsmb._core.multibody import ForceElement

class Teeth:
    Rigid: ClassVar[Teeth]
    Static: ClassVar[Teeth]
    Relaxing: ClassVar[Teeth]
    Dynamic: ClassVar[Teeth]
    __members__: ClassVar[dict[str, Teeth]]
    def __init__(self, value: int) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class GearWheel:
    def __init__(
        self,
        *,
        name: str,
        teeth: int,
        r_b: float,
        r_a: float,
        half_tooth: float,
        beta_b: float,
        width: float,
        phase: float,
        relief: float,
        relief_length: float,
        crowning: float,
        r_d: float,
        K: float,
        D: float,
        mass: float,
        spin: float,
    ) -> None: ...

class GearMesh:
    def __init__(
        self,
        *,
        name: str,
        first: int,
        second: int,
        near_1: int,
        near_2: int,
        stiffness: float,
        stiffness_ratio: float,
        damping: float,
        transition: float,
        mu: float,
        v_eps: float,
        play: float,
        from_geometry: bool,
        inv_v: float,
        entry: float,
        left: bool,
        right: bool,
        turn_angle: bool,
    ) -> None: ...

class GearTrain(ForceElement):
    def __init__(
        self,
        *,
        wheels: Sequence[GearWheel],
        meshes: Sequence[GearMesh],
        teeth: Teeth,
        all_teeth: bool,
        events: bool,
    ) -> None: ...
    @property
    def states(self) -> list[str]: ...
    def contacts(
        self, kinematics: ArrayLike, x: ArrayLike, modes: ArrayLike
    ) -> list[tuple[Any, ...]]: ...
