r"""
Spur gears with backlash
========================

A pinion at constant speed starts an unloaded gear: the second gear example of Ebrahimi's thesis
(Stuttgart 2007, section 7.3). With the relative rotation (7.12)

.. math::

   \Delta\varphi = \varphi_2 + \frac{z_1}{z_2} \varphi_1

left flanks touch where :math:`\Delta\varphi > \varphi_b`, and right flanks where
:math:`\Delta\varphi < -\varphi_b`. Soft teeth touch less often.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import spur_gears_with_backlash
from nsmb.testing import Claims

# %%
# Data
# ----

system = spur_gears_with_backlash()
system.parameter_table

# %%
# Motion
# ------

stiff = nsmb.EventDriven(integrator="cvode")
t_end = 0.4
runs = {
    "rigid": nsmb.simulate(system, t_end),
    "set 1": nsmb.simulate(spur_gears_with_backlash(teeth="near"), t_end, method=stiff),
    "set 2": nsmb.simulate(
        spur_gears_with_backlash(teeth="near", K_e=3.6e9, D_e=1e5), t_end, method=stiff
    ),
}
figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.2), layout="constrained")
for word, sol in runs.items():
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    force = [np.linalg.norm(sol.system.gear_contacts("mesh", *row).total) for row in rows]
    axes[0].plot(sol.t, force, label=word)
    axes[1].plot(sol.t, sol.u[:, 0])
axes[0].set(xlabel="t / s", ylabel="force on gear 2 / N", xlim=(0.0, 0.1))
axes[0].legend()
axes[1].set(xlabel="t / s", ylabel="angular velocity / (rad/s)")

# %%
runs["rigid"].draw(0.0)

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 7.3, second example")
touches = {}
largest = {}
for word, sol in runs.items():
    touches[word] = len(sol.events) // 2
    rows = zip(sol.t, sol.q, sol.u, sol.x, strict=True)
    largest[word] = max(sol.system.gear_contacts("mesh", *row).F_n.sum() for row in rows)
claims.holds("soft teeth touch less often than rigid ones", True,
             bool(touches["set 1"] < 0.5 * touches["rigid"]), source="Fig. 7.7")  # fmt: skip
claims.holds("stiff teeth nearly as often", touches["rigid"], touches["set 2"], rtol=0.25,
             source="Fig. 7.7")  # fmt: skip
claims.holds("forces of soft teeth are smaller", True,
             bool(largest["set 1"] < 0.6 * largest["rigid"]), source="Fig. 7.7")  # fmt: skip
settled = nsmb.simulate(system, 3.0, start=runs["rigid"], output_step=0)
mean = (settled.q[-1, 0] - settled.q[0, 0]) / (settled.t[-1] - settled.t[0])
claims.holds("mean speed is that of the ratio", 0.17949, -mean, unit="rad/s", rtol=1e-3,
             source="table 7.2")  # fmt: skip
undamped = nsmb.simulate(spur_gears_with_backlash(D=0.0), 1.6e-3, output_step=1e-6)
rows = zip(undamped.t, undamped.q, undamped.u, undamped.x, strict=True)
peak = max(undamped.system.gear_contacts("mesh", *row).F_n.sum() for row in rows)
claims.holds("first impact without damping: force", 447.0, peak, unit="N", rtol=0.01,
             source="derived from table 7.2")  # fmt: skip
claims.holds("and duration", 0.305e-3, np.diff(undamped.events.t)[0], unit="s", rtol=0.01,
             source="derived from table 7.2")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.spur_gears_with_backlash`. Test:
# :source:`tests/systems/test_involute_gears.py`.
