r"""
Peg in a hole
=============

A peg hangs on three springs that model a gripper. It is led straight down into a chamfered hole
with a lateral error and a tilt. It hits the chamfer, slides down into the hole, and touches both
walls. With two contacts that slide inwards, one degree of freedom remains. The friction cones
determine whether the springs push the peg further in or it jams. Peg and hole are polygons whose
corners touch sides,

.. math::

   g_{N} = \boldsymbol n \cdot (\boldsymbol r_{\text{corner}} - \boldsymbol r_{\text{side}}), \qquad
   \text{jam: } \arctan\frac{h}{D} + |\varphi| \le \arctan\mu

for two contact points at a distance :math:`h` along the wall of a hole of width :math:`D` (section
14.5).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

peg = nsmb.systems.peg_in_hole()
peg.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(peg, t_end=1.5)
figure, axes = plt.subplots(1, 4, figsize=(10.5, 3.2), layout="constrained")
for ax, t in zip(axes, (0.8, 0.95, 1.1, 1.4), strict=True):
    sol.draw(t, ax=ax, title=f"t = {t:g} s")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%

sol.plot()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 14.5")
impacts = sol.events.of_kind("impact")
claims.holds("the chamfer is hit at 0.9 s", 0.9, impacts.t[0], unit="s", atol=1e-9)
closed = (sol.contact_state != nsmb.ContactState.OPEN).sum(axis=1)
claims.holds("two points touch at 1.2 s", 1.2, sol.t[closed >= 2][0], unit="s", atol=5e-3)
bound = peg.parameters["mu"] * sol.lambda_N.max()
claims.holds("friction stays in its bounds", True,
             bool(np.abs(sol.lambda_T).max() <= bound * (1 + 1e-9)), source="Coulomb's law"
)  # fmt: skip
p = peg.parameters
mirrored = nsmb.simulate(peg.with_parameters(error=-p["error"], tilt=-p["tilt"]), t_end=1.5)
claims.holds("mirrored errors give the mirrored motion", sol.q[-1] * [-1, 1, -1], mirrored.q[-1],
             atol=1e-11, source="symmetry")  # fmt: skip
straight = nsmb.simulate(peg.with_parameters(error=0.0, tilt=0.0), t_end=1.5)
claims.holds("without errors it goes in untouched", 0, len(straight.events), source="symmetry")
claims

# %%
# Reference: :func:`nsmb.systems.peg_in_hole`. The same task with a robot: :doc:`peg_in_hole_robot`.
# Claims of the book: :doc:`/systems/peg_in_hole`. Test:
# :source:`tests/systems/test_peg_in_hole.py`.
