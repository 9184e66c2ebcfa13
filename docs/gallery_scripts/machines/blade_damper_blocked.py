r"""
Turbine blades with a blocked damper
====================================

The blades of :doc:`blade_damper` while both contacts stick. Platforms and damper form one rigid
body, and a linear oscillator with three coordinates remains (section 13.1.2),

.. math::

   \boldsymbol M \ddot{\boldsymbol y} + \boldsymbol D \dot{\boldsymbol y}
   + \boldsymbol K \boldsymbol y = \boldsymbol f \sin\omega t .

Its steady motion is known in closed form, and so are the contact forces. They determine the gas
force at which the contacts begin to slide. Blades that move in phase hardly load the damper. Blades
that move in antiphase do, most of all at their natural frequency.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import blade_damper_blocked
from nsmb.testing import Claims

# %%
# Data
# ----

blocked = nsmb.systems.blade_damper_blocked()
blocked.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(blocked, t_end=0.6)
sol.plot()

# %%
# The gas force that ends sticking, over its frequency (Fig. 13.8).

# sphinx_gallery_thumbnail_number = 2
frequencies = np.linspace(50.0, 72.0, 221)
thresholds = []
for f in frequencies:
    system = nsmb.systems.blade_damper(A=0.0, phi_4=np.pi, omega=2 * np.pi * f)
    thresholds.append(blade_damper_blocked.response(system).threshold)
figure, ax = plt.subplots(figsize=(6.0, 3.0), layout="constrained")
ax.semilogy(frequencies, thresholds)
ax.set(xlabel="frequency / Hz", ylabel="gas force that ends stiction / N")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 13.8")
modes = analysis.modes(blocked, blocked.initial_state, undamped=True)
claims.holds(
    "lowest eigenfrequencies: blades with and against each other", [61.0, 62.0],
    np.sort(modes.frequencies)[:2], unit="Hz", atol=1e-6, source="section 13.1",
)  # fmt: skip
least = frequencies[int(np.argmin(thresholds))]
claims.holds("opposed gas forces end stiction most easily at 62 Hz", 62.0, least, unit="Hz",
             atol=0.1)  # fmt: skip
load = []
for F_z in (100.0, 200.0):
    system = nsmb.systems.blade_damper(A=0.0, F_z=F_z)
    load.append(blade_damper_blocked.response(system).threshold)
claims.holds("twice the centrifugal force, twice the threshold", 2.0, load[1] / load[0], rtol=1e-9)
claims

# %%
# All claims of the book: :doc:`/systems/blade_damper`. Reference:
# :func:`nsmb.systems.blade_damper_blocked`, :func:`nsmb.systems.blade_damper_blocked.response`.
# Test: :source:`tests/systems/test_blade_damper.py`.
