r"""
Oscillator on an oblique plane
==============================

A body stands on three feet on an inclined plane, and an unbalance shakes it. Friction acts in the
plane, so that the friction force of each foot lies in a disc,

.. math::

   \|\boldsymbol\lambda_{T,i}\| \le \mu \lambda_{N,i}, \qquad
   \boldsymbol\lambda_{T,i} = -\mu \lambda_{N,i}\, \dot{\boldsymbol g}_{T,i} /
   \|\dot{\boldsymbol g}_{T,i}\| \;\text{ in sliding,}

and while all feet stick, six friction forces balance three loads. The forces are threefold
indeterminate, but the motion is unique. Wösle and Pfeiffer (1996) give this system as an example of
spatial friction.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

body = nsmb.systems.oblique_oscillator()
body.parameter_table

# %%
# Motion
# ------
# With the friction coefficient 0.13, above the slope, the body sticks once in each revolution of
# the unbalance.

sticking = nsmb.simulate(nsmb.systems.oblique_oscillator(mu=0.13), t_end=1.0, output_step=0.002)
printed = nsmb.simulate(body, t_end=1.0, output_step=0.002)
sticking.plot(coordinates=["x", "y", "gamma"])

# %%
# The triangle of the feet on the plane, and the downhill displacement for both friction
# coefficients.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
sticking.draw(0.4, ax=left)
for run, label in ((sticking, "μ = 0.13"), (printed, "μ = 0.098, printed")):
    right.semilogy(run.t[1:], 1e3 * np.maximum(run.q[1:, 0], 1e-6), label=label)
right.set(xlabel="t / s", ylabel="downhill / mm", ylim=(1e-2, 1e2))
right.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("Wösle & Pfeiffer, section 7")
claims.fails(
    "with the printed data it sticks once in each revolution", True,
    "stick" in printed.events.count() and printed.events.count()["stick"] > 0,
    because="the printed friction 0.098 is below tan δ = 0.1155; such a body cannot rest",
)  # fmt: skip
claims.holds(
    "with friction 0.13 it sticks and slides in turn",
    ["stick", "slip"] * 3, sticking.events.kinds,
)  # fmt: skip
slips = sticking.events.of_kind("slip").t
claims.holds("once in each revolution", 2 * np.pi / 19.6, np.diff(slips), unit="s", rtol=1e-3)
claims.holds("at all feet at once", True, bool(sticking.events.contacts.all()))
claims.holds(
    "no foot takes off", True, bool((sticking.contact_state > nsmb.ContactState.OPEN).all())
)
# %%
# Without a lateral offset of the unbalance, the motion has one coordinate and a closed form.

central = nsmb.simulate(nsmb.systems.oblique_oscillator(mu=0.13, l_2=0.0), t_end=1.0)
claims.holds(
    "l_2 = 0: position after one second", 4.73491e-3, central.q[-1, 0], unit="m", atol=1e-8,
    source="closed form",
)  # fmt: skip
claims.holds("and nothing moves across", 0.0, central.q[:, 1], unit="m", atol=1e-8)
claims

# %%
# Reference: :func:`nsmb.systems.oblique_oscillator`, :mod:`nsmb.complementarity.friction`. Theory:
# :doc:`/theory/contact_laws`. Test:
# :source:`tests/systems/test_oblique_oscillator.py`.
