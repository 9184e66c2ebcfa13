"""Ten blocks that topple like dominoes, rigid or elastic."""

from __future__ import annotations

from dataclasses import dataclass

from nsmb import geometry
from nsmb.flexible import Mesh, NodalFrame, plane, unreduced
from nsmb.multibody import Body, ContourOnBody, Model, MultibodySystem, joints
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended

__all__ = ["TopplingBlocksParameters", "toppling_blocks"]

_THESIS = "printed: Ebrahimi (2007), section 5.6"
_MISSING = "chosen: the source does not say"
_POINTS = 4  # an edge on an edge, and points that appear and disappear


@dataclass(frozen=True, kw_only=True)
class TopplingBlocksParameters(Parameters):
    """Data of the blocks."""

    n: int = parameter(10, "1", "number of blocks", _THESIS, positive=True)
    M: float = parameter(4.0, "kg", "mass of a block", _THESIS, positive=True)
    H: float = parameter(1.0, "m", "its height", _THESIS, positive=True)
    L: float = parameter(0.3, "m", "its width", _THESIS, positive=True)
    gap: float = parameter(0.4, "m", "between two blocks", _MISSING, positive=True)
    mu: float = parameter(0.25, "-", "friction coefficient", _THESIS)
    e_N: float = parameter(0.0, "-", "normal restitution", _MISSING)
    omega: float = parameter(4.0, "rad/s", "rate at which the first begins to topple", _THESIS)
    g: float = parameter(9.81, "m/s²", "gravity", _MISSING, positive=True)
    elastic: int = parameter(0, "-", "1: blocks of one bilinear element, 0: rigid", _THESIS)
    E: float = parameter(2500.0, "N/m", "Young's modulus times thickness", _THESIS, positive=True)
    nu: float = parameter(0.3, "-", "Poisson's ratio, plane stress", _THESIS)
    beta: float = parameter(0.005, "s", "damping by stiffness, d_ee = β k_ee", _MISSING)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elastic not in (0, 1):
            raise ValueError(f"parameter 'elastic': expected 0 or 1, got {self.elastic}")


@parametric(TopplingBlocksParameters, recommended=Recommended(t_end=3.0))
def toppling_blocks(p: TopplingBlocksParameters) -> MultibodySystem:
    """Row of blocks, each of which topples the next one.

    ===========  =========================================================================
    coordinates  ``b1.x``, ``b1.y`` (m) of the middle of the first, ``b1.phi`` (rad),
                 counterclockwise, ``b2.x``, ...; elastic: of node 4, its lower left corner,
                 and of the edge from there to node 1, the lower right one, and
                 ``block1.q1``, ..., ``block1.q5`` (m), displacements of node 1 along the
                 edge, of nodes 2 and 3, the upper ones, along and across it
    contacts     ``floor1[0]``, ...: corners of a block on the floor; ``hit1[0]``, ...: of
                 the first and the second block; elastic: ``floor1_4``, ``floor1_1``, ...,
                 nodes on the floor, ``hit1_2``: node 2 of the first on the left side of the
                 second, ``hit1_3``: node 3 of the second on the right side of the first
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 5.6: elastic there
    ===========  =========================================================================

    At the start the first block rotates about its lower right corner with `omega`. Spacing,
    gravity, plane stress and damping are not given in the source. A side of an elastic block stays
    straight and rotates with its two nodes. Its length is treated as constant in contacts.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    m = Model(gravity=(0, -p.g), name="toppling_blocks")
    floor = m.ground.contour("floor", geometry.Line())
    return (_elastic if p.elastic else _rigid)(m, floor, p)


def _rigid(m: Model, floor: ContourOnBody, p: TopplingBlocksParameters) -> MultibodySystem:
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    x, y = 0.5 * p.L, 0.5 * p.H
    outline = geometry.Polygon([(-x, -y), (x, -y), (x, y), (-x, y)])
    initial, before = {}, None
    for k in range(1, p.n + 1):
        block = m.add_body(f"b{k}", mass=p.M, inertia=p.M / 12.0 * (p.H**2 + p.L**2))
        m.add_joint(f"b{k}", joints.Planar(), m.ground, block)
        sides = block.contour("sides", outline)
        m.add_contact(sides, floor, law, f"floor{k}", points=_POINTS)
        if before is not None:
            m.add_contact(before, sides, law, f"hit{k - 1}", points=_POINTS)
        initial[f"b{k}"] = ((k - 1) * (p.L + p.gap), y, 0.0)
        before = sides
    return m.build(initial=initial, velocities={"b1": (p.omega * y, p.omega * x, -p.omega)})


def _elastic(m: Model, floor: ContourOnBody, p: TopplingBlocksParameters) -> MultibodySystem:
    mesh = Mesh(
        [(p.L, 0.0), (p.L, p.H), (0.0, p.H), (0.0, 0.0)], [(3, 0, 1, 2)], "quad",
        places={"left": [2, 3], "right": [0, 1]},
    )  # fmt: skip
    elements = plane(mesh, E=p.E, nu=p.nu, density=p.M / (p.L * p.H))
    elastic = unreduced(elements, NodalFrame(3, along=0), rayleigh=(0.0, p.beta))
    law = ContactLaw(mu=p.mu, e_N=p.e_N)
    initial, before = {}, None
    for k in range(1, p.n + 1):
        block = m.add_elastic_body(f"block{k}", elastic)
        m.add_joint(f"b{k}", joints.Planar(), m.ground, block)
        nodes = [block.contour(f"node_{i + 1}", geometry.Point(), at=i) for i in range(4)]
        for node in nodes:
            m.add_contact(floor, node, law, f"floor{k}_{node.name[-1]}")
        if before is not None:
            _hits(m, before, (block, nodes), law, k - 1, p)
        initial[f"b{k}"] = ((k - 1) * (p.L + p.gap), 0.0, 0.0)
        before = (block, nodes)
    return m.build(initial=initial, velocities={"b1": (0.0, p.omega * p.L, -p.omega)})


_Block = tuple[Body, list[ContourOnBody]]


def _hits(
    m: Model, first: _Block, second: _Block, law: ContactLaw, k: int, p: TopplingBlocksParameters
) -> None:
    """Add contacts of the upper corners with the sides of the neighbours.

    The material is on the left of the sides.
    """
    down, up = (0.0, 0.5 * p.H), (0.0, -0.5 * p.H)
    left = second[0].contour("left", geometry.Segment(down, up), at="left")
    right = first[0].contour("right", geometry.Segment(up, down), at="right")
    m.add_contact(left, first[1][1], law, f"hit{k}_2", points=1)
    m.add_contact(right, second[1][2], law, f"hit{k}_3", points=1)
