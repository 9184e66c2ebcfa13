"""Two spur gears with involute flanks and prescribed rotation of gear 1: shared parts."""

from __future__ import annotations

from nsmb.geometry import GearMesh, GearTeeth
from nsmb.geometry.contours.gear_mesh import play_at
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.multibody.motion import Motion
from nsmb.system.contact_laws import ContactLaw

__all__ = ["driven_pair", "mesh_of"]


def mesh_of(
    *, z_1: int, z_2: int, m: float, alpha: float, x_1: float, x_2: float, h_a: float,
    h_f: float, play: float, distance: float | None = None,
) -> GearMesh:  # fmt: skip
    """Return a pair with a given backlash along the line of action, by thinner teeth of gear 2.

    By default `distance` is that at which teeth of full thickness have no backlash.
    """

    def gear(z: int, x: float, thinning: float = 0.0) -> GearTeeth:
        return GearTeeth(
            teeth=z, module=m, pressure_angle=alpha, shift=x, addendum=h_a, dedendum=h_f,
            thinning=thinning,
        )  # fmt: skip

    first, second = gear(z_1, x_1), gear(z_2, x_2)
    if distance is None:
        distance = GearMesh.distance_for(first, second)
    # r_b/r = cos α: thinning the tooth adds cos α times the thinning along the line of action
    free = play_at(first, second, distance)
    second = gear(z_2, x_2, (play - free) * second.reference_radius / second.base_radius)
    return GearMesh(first, second, distance)


def driven_pair(
    mesh: GearMesh,
    motion: Motion,
    *,
    start: float,
    I_2: float,
    law: ContactLaw,
    d_2: float,
    T_2: float,
    speed_2: float,
) -> MultibodySystem:
    """Build the pair with prescribed rotation of gear 1 and gear 2 in the middle of its backlash.

    Gear 1 starts at the angle `start`. `T_2` brakes gear 2 if gear 1 rotates forwards.
    """
    m = Model()
    wheel_1 = m.add_body("gear_1", mass=1.0, inertia=1.0)
    wheel_2 = m.add_body("gear_2", mass=1.0, inertia=I_2)
    m.add_joint("phi_1", joints.Revolute(), m.ground, wheel_1, motion=motion)
    m.add_joint("phi_2", joints.Revolute(), m.ground, wheel_2, at=(mesh.distance, 0.0))
    m.add_torsion_spring("drag", "phi_2", c=0.0, d=d_2, preload=T_2)
    m.add_contact(
        wheel_1.contour("teeth", mesh.first), wheel_2.contour("teeth", mesh.second), law, "flanks"
    )
    return m.build(initial={"phi_2": mesh.angle(start)}, velocities={"phi_2": speed_2})
