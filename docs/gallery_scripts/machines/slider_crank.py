r"""
Slider-crank with clearance
===========================

A slider-crank mechanism whose slider has 1 mm of clearance in its guide: the benchmark of Flores,
Leine and Glocker. Each of the four corners may touch its side of the guide, with friction and
Newton's impact law,

.. math::

   g_{\text{upper}} = b + c - (y \pm a \sin\theta_3 + b \cos\theta_3), \qquad
   \dot g_N^{+} = -\varepsilon_N\, \dot g_N^{-}, \qquad
   |\Lambda_T| \le \mu \Lambda_N .

The slider bounces between both sides, then slides along one side for a while, and changes sides
where the guide force changes its sign. Without clearance a constraint makes it the ideal mechanism.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

mechanism = nsmb.systems.slider_crank()
mechanism.parameter_table

# %%
# Motion
# ------

fine = nsmb.EventDriven(impact_law="moreau", rtol=1e-9, rest_velocity=1e-8)
sol = nsmb.simulate(mechanism, t_end=0.2, method=fine)
angles = np.cumsum(sol.q, axis=1)
height = 0.153 * np.sin(angles[:, 0]) + 0.306 * np.sin(angles[:, 1])

figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.2), layout="constrained")
sol.draw(0.012, ax=left)
right.plot(1e3 * sol.t, 1e3 * height)
right.set(xlabel="t / ms", ylabel="slider above the middle / mm", title="in the clearance of ±1 mm")

# %%

sol.animate(speed=0.02, fps=12.5, t_span=(0.0, 0.05), dpi=50, forces=False)

# %%
# Comparison with known results
# -----------------------------

claims = Claims("balance")
energy = sol.energy
lost = sol.stats["impact_loss"] + sol.friction_loss[-1].sum()
claims.holds(
    "impacts and friction take what the mechanism loses",
    energy.total[0] - energy.total[-1], lost, unit="J", atol=1e-6,
)  # fmt: skip
claims.holds(
    "the slider stays in its guide", True, bool(np.abs(height).max() < 1e-3 + 1e-9),
    source="geometry",
)  # fmt: skip
claims.holds("no impact gains energy", True, bool(sol.events.energy_loss.min() > -1e-12))
used = sorted({name for event in sol.events for name in event.contacts})
claims.holds("all four corners are hit", sorted(sol.contact_names), used, source="Flores et al.")
ideal = nsmb.simulate(nsmb.systems.slider_crank(c=0.0), t_end=0.2, method=fine)
theta = np.cumsum(ideal.q, axis=1)
claims.holds(
    "without clearance the slider stays on its line",
    0.0, 0.153 * np.sin(theta[:, 0]) + 0.306 * np.sin(theta[:, 1]), unit="m", atol=1e-9,
    source="ideal mechanism",
)  # fmt: skip
end = nsmb.simulate(nsmb.systems.slider_crank(c=0.0), t_end=0.02, method=fine).q[-1, 0]
errors = []
for c in (1e-3, 1e-4, 1e-5):
    tight = nsmb.systems.slider_crank(c=c, mu=0.0, e_N=0.0)
    errors.append(abs(nsmb.simulate(tight, t_end=0.02, method=fine).q[-1, 0] - end) * 0.153 / c)
claims.holds(
    "the crank deviates from it by less than twice the clearance over the crank length",
    True, max(errors) < 2.0, source="limit c → 0",
)  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.slider_crank`. Theory: :doc:`/theory/multibody`.
# Test: :source:`tests/systems/test_slider_crank.py`.
