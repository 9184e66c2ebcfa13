r"""
Rattling test rig
=================

The test rig of section 12.1.5 makes one stage of rattling slow and large enough to be observed. An
involute tooth on a wheel swings between two stops, which an eccentric moves by millimetres. With
the moment :math:`T` of a weak spring and an eddy-current brake,

.. math::

   I \ddot\varphi + d \dot\varphi + T + c \varphi = 0, \qquad
   s = a \sin 2\pi f t - r \varphi \in [-v, 0] ,

which is (12.14) with :math:`\alpha = a/v`. At 4.2 mm the motion is periodic, at 9 mm chaotic
(Figs. 12.11, 12.12).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import gear_rattling, rattling_rig
from nsmb.testing import Claims

# %%
# Data
# ----

rig = rattling_rig()
rig.parameter_table

# %%
# Motion
# ------
# The measured quantities: both stops and the tooth in the settled motion.

figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.2), layout="constrained")
for ax, a in zip(axes, (4.2e-3, 9.0e-3), strict=True):
    system = rattling_rig(a=a)
    before = nsmb.simulate(system, t_end=20.0, record="nothing")
    late = nsmb.simulate(system, t_end=20.25, start=before)
    m = rattling_rig.motions(late)
    ax.fill_between(m.t - 20.0, 1e3 * m.driving, 1e3 * m.driven, color="0.9", label="backlash")
    ax.plot(m.t - 20.0, 1e3 * m.tooth, label="tooth")
    ax.set(xlabel="t / s", title=f"a = {1e3 * a:g} mm")
axes[0].set_ylabel("at the base circle / mm")
axes[0].legend()

# %%

sol = nsmb.simulate(rig)
sol.plot()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 12.1.5")
omega = 2 * np.pi * 20.0
for a, alpha in ((4.2e-3, 1.4), (9e-3, 3.0)):
    run = nsmb.simulate(rattling_rig(a=a), t_end=0.4, output_step=0)
    hits = run.events.of_kind("impact")
    exact = gear_rattling.impact_map(alpha=alpha).iterate(0.0, -0.5, 0.0, len(hits))
    claims.holds(
        f"the rig is one stage with α = {alpha}: phases of {len(hits)} impacts",
        exact.tau, omega * hits.t, unit="rad", atol=1e-5, source="exact map (12.15)",
    )  # fmt: skip
late = nsmb.simulate(rig, t_end=20.0, output_step=0).events.of_kind("impact")
claims.holds("4.2 mm: four impacts recur in each revolution", 0.05, late.t[-5:] - late.t[-9:-4],
             unit="s", atol=1e-8, source="Fig. 12.12")  # fmt: skip
for a, sign in ((4.2e-3, False), (9e-3, True)):
    exponent = analysis.lyapunov_spectrum(rattling_rig(a=a)).exponents[0]
    claims.holds(
        f"{1e3 * a:g} mm: largest Lyapunov exponent is "
        + ("positive, a chaotic pattern" if sign else "not positive, a periodic pattern"),
        sign, bool(exponent > 1e-3), source="Fig. 12.12",
    )  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.rattling_rig`, :func:`nsmb.systems.rattling_rig.motions`. Claims of
# the book on rattling: :doc:`/systems/gearbox_branched`. Test:
# :source:`tests/systems/test_rattling_rig.py`.
