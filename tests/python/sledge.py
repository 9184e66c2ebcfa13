"""A system with two-dimensional friction, friction elements, force elements and a wall."""

import numpy as np

import nsmb


def sledge() -> nsmb.LinearSystem:
    """Return a unit mass thrown onto a moving floor, between a relaxing buffer and a spring."""
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5)
    return nsmb.LinearSystem(
        np.eye(3),
        force=[0.0, 0.0, -10.0],
        contacts=[
            nsmb.Contact(
                w_N=[0, 0, 1],
                w_T=[[1, 0], [0, 1], [0, 0]],
                law=law,
                name="floor",
                w_tilde_T=[0.5, 0.0],
            ),
            nsmb.Friction(w_T=[1, 0, 0], bound=0.5, name="guide"),
        ],
        elements=[
            nsmb.ForceElement(w=[1, 0, 0], law=nsmb.GapForce(200.0, 2.0), gap=0.3, name="buffer"),
            nsmb.ForceElement(
                w=[-1, 0, 0], law=nsmb.GapForce(300.0, law="elastic_gap"), gap=0.45, name="spring"
            ),
        ],
        coordinates=["x", "y", "z"],
        coordinate_units=["m", "m", "m"],
        initial_state=nsmb.State(
            0.0, np.array([0.5, 0.0, 0.2]), np.array([-3.0, 1.0, 0.0]), np.array([-0.01])
        ),
        name="sledge",
    )


def drop() -> nsmb.LinearSystem:
    """Return a mass that falls on a force element, without contacts."""
    ground = nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(500.0, 3.0), name="ground")
    return nsmb.LinearSystem(
        [[1.0]],
        force=[-10.0],
        elements=[ground],
        coordinates=["y"],
        coordinate_units=["m"],
        initial_state=nsmb.State(0.0, np.array([0.3]), np.zeros(1)),
        name="drop",
    )
