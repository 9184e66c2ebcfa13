r"""
Driven spur gears with backlash
===============================

Gear 1 rotates at a constant speed, and gear 2 starts at rest in the middle of its backlash. The
flanks are rigid, exact involutes with set-valued contact, impacts and friction, and contact passes
from tooth to tooth. While flanks touch, the ratio is constant,

.. math::

   \omega_2 = -\frac{z_1}{z_2}\,\omega_1, \qquad
   v_T = (\omega_1 + |\omega_2|)\,\xi, \qquad
   \varepsilon = \frac{g_{a1} + g_{a2}}{p_b} ,
   \tag{7.9}

where :math:`\xi` is the distance of the contact from the pitch point.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

gears = nsmb.systems.involute_pair()
gears.parameter_table

# %%
# Without load, gear 2 rattles between its flanks more and more slowly. Each impact halves the
# relative speed, and crossing the backlash takes twice as long.

sol = nsmb.simulate(gears, 20.0)
sol.draw(0.0)

# %%

figure, ax = plt.subplots(figsize=(7.0, 3.0), layout="constrained")
ax.semilogx(sol.t, -sol.u[:, 0])
ax.set(xlabel="t / s", ylabel="speed of gear 2 / (rad/s)", xlim=(1e-3, 20.0))

# %%
# Loaded by a torque, with friction. The sliding velocity changes sign at the pitch point, and the
# normal force of a pair varies with the lever arm of its friction. With two pairs in mesh, rigid
# bodies determine only the sum of the two normal forces.

# sphinx_gallery_thumbnail_number = 3
loaded = nsmb.simulate(nsmb.systems.involute_pair(T_2=1.0, mu=0.1), 3.0)
late = loaded.t > 0.5
figure, (above, below) = plt.subplots(2, 1, figsize=(7.0, 4.5), sharex=True, layout="constrained")
above.plot(loaded.t[late], loaded.lambda_N[late].sum(axis=1), label="normal")
above.plot(loaded.t[late], np.abs(loaded.lambda_T[late]).sum(axis=1), label="friction")
above.set(ylabel="sum of forces / N")
above.legend()
below.plot(loaded.t[late], (np.asarray(loaded.contact_state)[late] > 0).sum(axis=1))
below.set(xlabel="t / s", ylabel="pairs in contact", yticks=[0, 1, 2])

# %%
# Comparison with the source
# --------------------------

claims = Claims("Ebrahimi, section 7.3")
claims.holds(
    "mean speed of gear 2", 0.17949, abs(sol.q[-1, 0] - sol.q[0, 0]) / 20.0, unit="rad/s",
    atol=2e-5, source="derived from table 7.2",
)  # fmt: skip
claims.holds(
    "the backlash is crossed in 2.4 ms at first, half of it in 1.2 ms", 1.2e-3,
    sol.events.of_kind("impact").t[0], unit="s", atol=5e-5, source="derived from table 7.2",
)  # fmt: skip
intervals = np.diff(sol.events.of_kind("impact").t)
claims.holds(
    "contacts are frequent at first, later smoother", 2.0, intervals[1:] / intervals[:-1],
    atol=1e-6, source="Fig. 7.6; e = 0.5: twice as long each time",
)  # fmt: skip
claims.holds(
    "constant ratio while flanks touch", -14 / 39, loaded.u[late, 0] / 0.5, atol=1e-12,
    source="involutes",
)  # fmt: skip
teeth = [
    nsmb.geometry.GearTeeth(teeth=z, module=5e-3, dedendum=1.05, thinning=thin)
    for z, thin in ((14, 0.0), (39, 4e-5))
]
mesh = nsmb.geometry.GearMesh(*teeth, 0.1325)
claims.holds(
    "contact ratio, cut short by the base circle of the pinion", 1.542, mesh.contact_ratio,
    atol=3e-3, source="(7.8), (7.9)",
)  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.involute_pair`, :class:`nsmb.geometry.GearTeeth`,
# :class:`nsmb.geometry.GearMesh`. Test: :source:`tests/systems/test_involute_pair.py`. Rattling:
# :doc:`involute_rattle`.
