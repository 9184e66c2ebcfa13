r"""
Mass on a wall with spring and damper
=====================================

The simplest model of a compliant contact is a spring and a damper in parallel. Its drawback is that
the damper pulls at the end of the contact. Section 3.2.3 discusses four laws for the gap
:math:`\gamma`:

.. math::

   \begin{aligned}
   F &= -c \gamma                 && \text{elastic} & (3.16)\\
   F &= -c \gamma - d \dot\gamma  && \text{while } \gamma < 0: \text{pulls at the end} & (3.17)\\
   F &= \max(0, -c \gamma - d \dot\gamma) && \text{acts before the touch} & (3.18)\\
   F &= -c \gamma_w - d \dot\gamma_w \ge 0 && \text{the wall relaxes} & (3.20)\text{-}(3.23)
   \end{aligned}

The last law is consistent. It ends when the force is zero, and the wall then relaxes by itself,
:math:`c \gamma_w + d \dot\gamma_w = 0`. Its coefficient of restitution without gravity is
:math:`\exp(-\zeta/\sqrt{1-\zeta^2}\,(\pi - 2\arcsin\zeta))` with :math:`\zeta = d/(2\sqrt{c m})`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

wall = nsmb.systems.spring_damper_wall()
wall.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(wall, t_end=2.0)
sol.plot()

# %%
# One collision without gravity under each law: force over penetration. The second law pulls. The
# third law acts in front of the wall.

laws = ("elastic_gap", "gap_damper", "clipped", "relaxing_wall")
runs = {
    law: nsmb.simulate(
        nsmb.systems.spring_damper_wall(law=law, g=0.0, H=0.1, v=2.0), t_end=0.4, rtol=1e-12
    )
    for law in laws
}

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 4, figsize=(10.5, 2.8), sharey=True, layout="constrained")
for ax, (law, run) in zip(axes, runs.items(), strict=True):
    ax.plot(1e3 * run.q[:, 0], run.element_force[:, 0])
    ax.set(xlabel="γ / mm", title=law.replace("_", " "), xlim=(-110, 60))
    ax.axhline(0.0, color="0.7", linewidth=0.6)
axes[0].set_ylabel("force / N")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 3.2.3")
zeta = 9.0 / (2.0 * np.sqrt(1.3 * 400.0))
root = np.sqrt(1.0 - zeta**2)
e = np.exp(-zeta / root * (np.pi - 2.0 * np.arcsin(zeta)))
consistent = runs["relaxing_wall"]
begin, end = consistent.events
claims.holds(
    "restitution of the consistent law", e, end.u_plus[0] / 2.0, rtol=1e-10, source="closed form"
)
claims.holds("it ends below the relaxed wall", True, bool(end.q[0] < 0.0), source="(3.22)")
claims.holds(
    "the force never pulls", True, bool(consistent.element_force.min() > -1e-9), source="(3.21)"
)
t = np.linspace(end.t, 0.4, 50)
claims.holds(
    "after the impact the wall relaxes",
    end.q[0] * np.exp(-400.0 / 9.0 * (t - end.t)),
    consistent.at(t).x[:, 0],
    unit="m",
    atol=1e-12,
    source="(3.23)",
)
pulled = runs["gap_damper"]
claims.holds(
    "the damper that acts in the gap pulls at the end",
    -9.0 * pulled.events[1].u_minus[0],
    pulled.element_force.min(),
    unit="N",
    rtol=1e-9,
    source="(3.17)",
)
claims.holds(
    "the clipped law starts at γ = d v/c > 0",
    9.0 * 2.0 / 400.0,
    runs["clipped"].events[0].q[0],
    unit="m",
    rtol=1e-10,
    source="(3.18)",
)
claims.holds(
    "the elastic wall returns the speed",
    2.0,
    runs["elastic_gap"].events[1].u_plus[0],
    unit="m/s",
    rtol=1e-12,
    source="(3.16)",
)
claims

# %%
# Reference: :func:`nsmb.systems.spring_damper_wall`, :class:`nsmb.GapForce`. Theory:
# :doc:`/theory/contact_laws`. Test:
# :source:`tests/systems/test_spring_damper_wall.py`.
