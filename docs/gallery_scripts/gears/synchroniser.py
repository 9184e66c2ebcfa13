r"""
Synchroniser of a truck
=======================

Before two shafts can be coupled they must rotate equally fast. Pneumatic force pushes a sleeve over
spring-loaded pins against a ring with two cones. Friction of the cones rotates ring and teeth into
a position where they block the sleeve until the speeds are equal. The model has six coordinates,
thirteen unilateral contacts with Newton's impact law, and three friction torques that share the
force of one contact. The teeth stay blocked while the safety

.. math::

   s = \frac{\mu_{SA} + \tan\frac\gamma2}{1 - \mu_{SA}\tan\frac\gamma2} \cdot
       \frac{D_{AF}\mu_{AF} + D_{IF}\mu_{IF} + D_{IC}\mu_{IC}\sin\alpha}{D_A \sin\alpha}
   \tag{12.48}

is above one, provided that no impact knocks the ring away.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import synchroniser
from nsmb.testing import Claims

# %%
# Data
# ----
# The book prints no data of the model.

truck = synchroniser()
truck.parameter_table

# %%
# Motion
# ------
# A shift: sleeve and exterior ring, speed difference, and a close-up of the recoils of the rings.

sol = nsmb.simulate(truck, t_end=0.25)
t = np.linspace(0.0, 0.25, 4001)
close = np.linspace(0.118, 0.150, 6001)
at, near = sol.at(t), sol.at(close)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
axes[0].plot(1e3 * t, 1e3 * at.q[:, 0], label="sleeve")
axes[0].plot(1e3 * t, 1e3 * at.q[:, 1], label="exterior ring")
for place in synchroniser.positions(sol):
    axes[0].axvspan(1e3 * place.begin, 1e3 * place.end, color="0.92")
axes[0].set(xlabel="t / ms", ylabel="displacement / mm")
axes[0].legend()
axes[1].plot(1e3 * t, at.u[:, 5])
axes[1].set(xlabel="t / ms", ylabel="difference of speeds / rad/s")
axes[2].plot(1e3 * close, 1e3 * near.q[:, 2], label="exterior ring")
axes[2].plot(1e3 * close, 1e3 * near.q[:, 4], label="interior ring")
axes[2].set(xlabel="t / ms", ylabel="angle to the hub / mrad")
axes[2].legend()

# %%
# Position II
# -----------
# The default friction of the exterior cone holds its ring at the hub until the speeds are equal. If
# this cone is slippery, the exterior ring alone does not withstand the teeth: without the interior
# ring the safety (12.48) is below one. The exterior ring moves to the other side of the link, where
# the interior ring holds it.

slippery = nsmb.systems.synchroniser.parameter_sets["slippery_exterior_cone"]
nsmb.results.ParameterTable("slippery_exterior_cone", slippery, truck.parameter_info)

# %%

second = nsmb.simulate(truck.with_parameters(**slippery), t_end=0.25)
at = second.at(t)
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
axes[0].plot(1e3 * t, 1e3 * at.q[:, 0], label="sleeve")
axes[0].plot(1e3 * t, 0.1 * at.u[:, 5], label="difference of speeds / (10 rad/s)")
axes[1].plot(1e3 * t, 1e3 * at.q[:, 2], label="exterior ring")
axes[1].plot(1e3 * t, 1e3 * at.q[:, 4], label="interior ring")
axes[1].axhline(-1e3 * truck.parameters["phi_AI"], color="k", lw=0.6, ls=":")
axes[1].set(xlim=(110.0, 220.0), ylim=(-12.0, 1.0), xlabel="t / ms",
            ylabel="angle to the hub / mrad", title="dotted: clearance of the link")  # fmt: skip
for place in synchroniser.positions(second):
    for ax in axes:
        ax.axvspan(1e3 * place.begin, 1e3 * place.end, color="0.92")
axes[0].set(xlabel="t / ms", ylabel="displacement / mm", title="grey: position II")
for ax in axes:
    ax.legend(fontsize="small")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 12.26")
impacts = sol.events.of_kind("impact")
teeth = impacts.at_contact("teeth")
claims.holds("no contact of the teeth before 120 ms", 120.0, 1e3 * teeth.t[0], unit="ms",
             atol=1.0, digits=4)  # fmt: skip
claims.holds("impacts from 120 to 160 ms, then position I", True,
             bool(0.12 < synchroniser.positions(sol)[0].begin < 0.16))  # fmt: skip
locked = synchroniser.positions(sol)[0]
claims.holds("position I is held until the speeds are equal", 0.0,
             sol.at(locked.end).u[5], unit="rad/s", atol=1.0)  # fmt: skip
inside = np.linspace(locked.begin + 2e-3, locked.end - 2e-3, 50)
T_R, T_E = synchroniser.torques(sol, inside)
p = truck.parameters
half, sin = np.tan(p["gamma"] / 2), np.sin(p["alpha"])
cones = p["D_AF"] * p["mu_AF"] + p["D_IF"] * p["mu_IF"] + p["D_IC"] * p["mu_IC"] * sin
safety = (p["mu_SA"] + half) / (1 - p["mu_SA"] * half) * cones / (p["D_A"] * sin)
claims.holds("safety of the data", safety, synchroniser.safety(truck), rtol=1e-12,
             source="(12.48)")  # fmt: skip
claims.holds("the friction torque is more than the teeth ask for", True,
             bool((T_R > T_E).all()), source="(12.46)")  # fmt: skip
*_, last = synchroniser.positions(second)
alone = truck.with_parameters(**slippery).with_parameters(mu_IF=0.0, mu_IC=0.0)
claims.holds("the friction of the exterior ring is not sufficient: holds with "
             "slippery_exterior_cone", True, synchroniser.safety(alone) < 1.0,
             source="section 12.3.2")  # fmt: skip
claims.holds("position II follows: holds with slippery_exterior_cone", "II", last.name,
             source="section 12.3.2")  # fmt: skip
claims.holds("and blocks the sleeve until the speeds are equal", 0.0, second.at(last.end).u[5],
             unit="rad/s", atol=1.0, source="section 12.3.2")  # fmt: skip
soon = synchroniser.unlocking(nsmb.simulate(synchroniser(F_E=60.0, phi_AI=0.016), t_end=0.3))
claims.holds("premature unlocking is possible though s > 1: speed left, rad/s, is large", True,
             soon is not None and soon[1] > 10.0)  # fmt: skip
claims

# %%
# All claims of the book and a map of premature unlocking: :doc:`/systems/synchroniser`. Reference:
# :func:`nsmb.systems.synchroniser`. Test: :source:`tests/systems/test_synchroniser.py`.
