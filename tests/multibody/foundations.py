"""Elastic foundations between meshes, by default without damping and friction."""

import numpy as np

from nsmb.geometry import TriangleMesh
from nsmb.multibody.areal import FoundationForce

C = 1e9  # N/m³
LAW = {
    "stiffness": C,
    "damping": 0.0,
    "transition_depth": 0.0,
    "mu": 0.0,
    "switch_velocity": 1e-3,
}


def mesh(given, scale=1.0):
    return TriangleMesh(given[0] * np.asarray(scale), given[1])


def foundation(first, second, elements="clipped", base="both", depth=0.0, **law):
    return FoundationForce((first, second), depth, LAW | law, (elements, base, "barycentric"))
