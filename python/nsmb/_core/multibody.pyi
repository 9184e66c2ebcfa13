from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core.geometry import Contour, NodeChain, Shape
from nsmb._core.system import (
    Discontinuities,
    ForceElementDescription,
    InputDescription,
    System,
    UnilateralContact,
)

Array = NDArray[np.float64]
Wrench = tuple[str, ArrayLike, ArrayLike, ArrayLike]  # body, point, force, moment

class Frame:
    def __init__(self, r: ArrayLike = ..., A: ArrayLike = ...) -> None: ...
    @property
    def r(self) -> Array: ...
    @property
    def A(self) -> Array: ...

class Joint:
    @property
    def nq(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def coordinates(self) -> list[str]: ...

class FixedJoint(Joint):
    def __init__(self) -> None: ...

class RevoluteJoint(Joint):
    def __init__(self, axis: ArrayLike = ...) -> None: ...

class PrismaticJoint(Joint):
    def __init__(self, axis: ArrayLike = ...) -> None: ...

class ScrewJoint(Joint):
    def __init__(self, pitch: float, axis: ArrayLike = ...) -> None: ...

class CylindricalJoint(Joint):
    def __init__(self, axis: ArrayLike = ...) -> None: ...

class UniversalJoint(Joint):
    def __init__(self) -> None: ...

class PlanarJoint(Joint):
    def __init__(self) -> None: ...

class SphericalJoint(Joint):
    def __init__(self) -> None: ...

class FreeJoint(Joint):
    def __init__(self) -> None: ...

class FunctionJoint(Joint):
    def __init__(
        self,
        coordinates: Sequence[str],
        nu: int,
        position: Callable[[float, Array], tuple[ArrayLike, ArrayLike]],
        subspace: Callable[[float, Array], ArrayLike],
        bias: Callable[[float, Array, Array], ArrayLike] | None = None,
        prescribed: Callable[[float, Array], ArrayLike] | None = None,
        coordinate_rates: Callable[[Array, Array], ArrayLike] | None = None,
        normalise: Callable[[Array], ArrayLike] | None = None,
        reference: ArrayLike | None = None,
    ) -> None: ...

class JointMotion:
    def __init__(
        self, coordinate: int, s: Callable[[float], ArrayLike], locked: bool = False
    ) -> None: ...
    @staticmethod
    def polynomial(
        coordinate: int, coefficients: ArrayLike, locked: bool = False
    ) -> JointMotion: ...
    @staticmethod
    def pieces(
        coordinate: int,
        starts: Sequence[float],
        coefficients: Sequence[ArrayLike],
        locked: bool = False,
    ) -> JointMotion: ...

class Elastic:
    def __init__(
        self,
        displacement: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        turn: ArrayLike,
        turning: ArrayLike,
        stiffness: ArrayLike,
        damping: ArrayLike,
        drawn: ArrayLike = ...,
        drawn_first: ArrayLike = ...,
    ) -> None: ...
    @property
    def mass(self) -> Array: ...
    @property
    def stiffness(self) -> Array: ...
    @property
    def damping(self) -> Array: ...

class ElasticNode:
    def __init__(
        self, displacement: ArrayLike, turn: ArrayLike, drawn: ArrayLike = ...
    ) -> None: ...

class Body:
    def __init__(
        self,
        name: str,
        mass: float,
        center: ArrayLike,
        inertia: ArrayLike,
        joint: Joint | None,
        parent: str = "environment",
        parent_frame: Frame = ...,
        body_frame: Frame = ...,
        joint_name: str = "",
        motions: Sequence[JointMotion] = ...,
        elastic: Elastic | None = None,
        node: ElasticNode | None = None,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def mass(self) -> float: ...
    @property
    def center(self) -> Array: ...
    @property
    def inertia(self) -> Array: ...
    @property
    def parent(self) -> str: ...

class Tree:
    def __init__(self, bodies: Sequence[Body], gravity: ArrayLike = ...) -> None: ...
    @property
    def nq(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def gravity(self) -> Array: ...
    @property
    def rheonomic(self) -> bool: ...
    @property
    def reference(self) -> Array: ...
    def coordinate_rates(self, q: ArrayLike, u: ArrayLike) -> Array: ...
    def normalise(self, q: ArrayLike) -> Array: ...

class MarkerKinematics:
    @property
    def r(self) -> Array: ...
    @property
    def A(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def Omega(self) -> Array: ...
    @property
    def J_S(self) -> Array: ...
    @property
    def J_R(self) -> Array: ...
    @property
    def j_tilde_S(self) -> Array: ...
    @property
    def j_tilde_R(self) -> Array: ...
    @property
    def j_bar_S(self) -> Array: ...
    @property
    def j_bar_R(self) -> Array: ...

class Momentum:
    @property
    def mass(self) -> float: ...
    @property
    def center(self) -> Array: ...
    @property
    def p(self) -> Array: ...
    @property
    def L(self) -> Array: ...

class TreeEvaluation:
    def __init__(self, tree: Tree) -> None: ...
    def mass_matrix(self, t: float, q: ArrayLike, repeat: int = 1) -> Array: ...
    def forces(
        self, t: float, q: ArrayLike, u: ArrayLike, loads: Sequence[Wrench] = ..., repeat: int = 1
    ) -> Array: ...
    def forward_dynamics(
        self,
        t: float,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike = ...,
        loads: Sequence[Wrench] = ...,
        repeat: int = 1,
    ) -> tuple[Array, int]: ...
    def solve_inertia(
        self, t: float, q: ArrayLike, B: ArrayLike, repeat: int = 1
    ) -> tuple[Array, int]: ...
    def energies(self, t: float, q: ArrayLike, u: ArrayLike) -> tuple[float, float]: ...
    def momentum(self, t: float, q: ArrayLike, u: ArrayLike) -> Momentum: ...
    def marker(
        self, t: float, q: ArrayLike, u: ArrayLike, body: str, frame: Frame = ...
    ) -> MarkerKinematics: ...

class SignConvention:
    Pressure: ClassVar[SignConvention]
    Tension: ClassVar[SignConvention]

class ForceLaw:
    def force(self, t: float, gamma: float, gamma_dot: float, inputs: Array = ...) -> float: ...
    def energy(self, gamma: float) -> float: ...

class SpringDamper(ForceLaw):
    def __init__(self, c: float, d: float, free_length: float, preload: float) -> None: ...

class TableLaw(ForceLaw):
    def __init__(self, x: Array, c: Array, speed: Array, speed_c: Array) -> None: ...

class UserLaw(ForceLaw):
    def __init__(self, function: Callable[..., float], inputs: Sequence[int] = ()) -> None: ...

class InputLaw(ForceLaw):
    def __init__(self, place: int) -> None: ...

class Marker:
    def __init__(self, body: int, frame: Frame) -> None: ...

class LoopKind:
    Along: ClassVar[LoopKind]
    Perpendicular: ClassVar[LoopKind]
    Distance: ClassVar[LoopKind]
    OnCurve: ClassVar[LoopKind]

class LoopRow:
    def __init__(
        self,
        name: str,
        marker_1: int,
        marker_2: int,
        kind: LoopKind,
        first: int = 0,
        second: int = 0,
        length: float = 0.0,
        curve: Contour | None = None,
    ) -> None: ...

class ForceElement: ...

class LineForce(ForceElement):
    def __init__(self, law: ForceLaw, sign: SignConvention) -> None: ...

class JointForce(ForceElement):
    def __init__(self, law: ForceLaw, sign: SignConvention) -> None: ...

class Load(ForceElement):
    def __init__(
        self,
        function: Callable[..., tuple[ArrayLike, ArrayLike]],
        inputs: Sequence[int] = (),
    ) -> None: ...

class CallbackForce(ForceElement):
    def __init__(
        self,
        markers: int,
        joints: int,
        states: Sequence[str],
        initial: ArrayLike,
        watched: Sequence[tuple[str, bool, float]],
        evaluate: Callable[[float, Array, Array, Array], tuple[ArrayLike, ArrayLike, ArrayLike]],
        watch: Callable[[float, Array, Array, Array], ArrayLike] | None,
        energy: Callable[[float, Array, Array, Array], float] | None,
    ) -> None: ...

class CompiledForce(ForceElement):
    def __init__(
        self,
        markers: int,
        joints: int,
        states: Sequence[str],
        initial: ArrayLike,
        watched: Sequence[tuple[str, bool, float]],
        addresses: Mapping[str, int],
        parameters: ArrayLike,
        code: object,
        limits: Sequence[str] = (),
    ) -> None: ...

class PlacedForce:
    def __init__(
        self,
        name: str,
        element: ForceElement,
        markers: Sequence[int] = ...,
        joints: Sequence[tuple[int, int]] = ...,
    ) -> None: ...

class SwitchingElement:
    def __init__(
        self,
        law: ForceElementDescription,
        marker_1: int,
        marker_2: int,
        coordinate: int,
        velocity: int,
        rest: float,
        direction: float,
    ) -> None: ...

class JointFriction:
    def __init__(self, name: str, velocity: int, bound: float) -> None: ...

class JointStop:
    def __init__(
        self,
        name: str,
        law: UnilateralContact,
        limit: float,
        direction: float,
        coordinate: int = ...,
        velocity: int = ...,
        motion: JointMotion | None = ...,
        marker_1: int = ...,
        marker_2: int = ...,
        turns: bool = ...,
        middle: float = ...,
    ) -> None: ...

class ContourContact:
    def __init__(
        self,
        name: str,
        law: UnilateralContact,
        marker_1: int,
        marker_2: int,
        contour_1: Contour,
        contour_2: Contour,
        points: int,
        search_distance: float,
        skin: float,
        boundary_1: int = ...,
        boundary_2: int = ...,
    ) -> None: ...

class Boundary:
    def __init__(self, name: str, marker: int, nodes: Sequence[int], chain: NodeChain) -> None: ...

class Skeleton:
    Point: ClassVar[Skeleton]
    Line: ClassVar[Skeleton]
    Plane: ClassVar[Skeleton]
    Circle: ClassVar[Skeleton]

class Surface:
    def __init__(self, skeleton: Skeleton, radius: float = 0.0, circle: float = 0.0) -> None: ...

class SurfaceContact:
    def __init__(
        self,
        name: str,
        law: UnilateralContact,
        marker_1: int,
        marker_2: int,
        surface_1: Surface,
        surface_2: Surface,
    ) -> None: ...

class ShapePair:
    def __init__(
        self,
        name: str,
        law: UnilateralContact,
        marker_1: int,
        marker_2: int,
        shape_1: Shape,
        shape_2: Shape,
    ) -> None: ...

def feature_slots(shape_1: Shape, shape_2: Shape) -> int: ...
def has_feature_pairs(shape_1: Shape, shape_2: Shape) -> bool: ...

class PlacedShape:
    def __init__(
        self,
        name: str,
        shape: Shape,
        place: Marker,
        owner: int,
        material: int = 0,
        group: int = 1,
        mask: int = ...,
    ) -> None: ...

class ShapeSet:
    def __init__(
        self,
        shapes: Sequence[PlacedShape],
        laws: Sequence[UnilateralContact],
        law_of: Sequence[int],
        apart: Sequence[tuple[int, int]] = ...,
    ) -> None: ...

def find_contacts(
    system: ModelSystem,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    margin: float = 0.0,
    step: float = 0.0,
    directions: bool = False,
) -> dict[str, Any]: ...
def first_touch(
    system: ModelSystem,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    gap_tolerance: float,
    step: float,
    look: float,
) -> tuple[float, float]: ...
def follow_contacts(
    system: ModelSystem,
    t: ArrayLike,
    q: ArrayLike,
    u: ArrayLike,
    margin: float = 0.0,
    step: float = 0.0,
) -> list[dict[str, Any]]: ...

class ModelSystem(System):
    def __init__(
        self,
        tree: Tree,
        markers: Sequence[Marker],
        loops: Sequence[LoopRow] = ...,
        forces: Sequence[PlacedForce] = ...,
        switching: Sequence[SwitchingElement] = ...,
        contacts: Sequence[ContourContact] = ...,
        friction: Sequence[JointFriction] = ...,
        discontinuities: Discontinuities = ...,
        stops: Sequence[JointStop] = ...,
        inputs: Sequence[InputDescription] = ...,
        surfaces: Sequence[SurfaceContact] = ...,
        shapes: ShapeSet = ...,
        boundaries: Sequence[Boundary] = ...,
        shape_pairs: Sequence[ShapePair] = ...,
    ) -> None: ...
    @property
    def element_names(self) -> list[str]: ...
    def initial_states(self) -> Array: ...
    def pairs_of_shapes(self) -> list[tuple[int, int, int]]: ...
    def contact_of(self, slot: int) -> int: ...
    def marker_poses(self, t: float, q: Array) -> list[tuple[Array, Array]]: ...
    def follow_contact(
        self,
        slot: int,
        t: ArrayLike,
        q: ArrayLike,
        u: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        sigma_1: ArrayLike,
        sigma_2: ArrayLike,
    ) -> dict[str, Array]: ...
    def contact_points(
        self,
        t: ArrayLike,
        q: ArrayLike,
        features: NDArray[np.int32] = ...,
        group: Sequence[int] = ...,
    ) -> dict[str, Array]: ...
