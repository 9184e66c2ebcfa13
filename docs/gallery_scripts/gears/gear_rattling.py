r"""
Rattling gear, one stage
========================

An unloaded gear rattles in its backlash, driven by the uneven rotation of its partner. In
normalised form, with the relative displacement divided by the backlash, :math:`s \in [-1, 0]`, and
the time :math:`\tau = \omega t`,

.. math::

   s'' + \beta s' = -\alpha \sin\tau + \alpha \beta \cos\tau + \gamma , \qquad
   s'^{+} = -\varepsilon\, s'^{-} \;\text{ at } s = 0, -1 .
   \tag{12.14}

The flight has a closed form, which yields an exact map from impact to impact (12.15), (12.16). With
increasing amplitude :math:`\alpha` the period doubles until the motion is chaotic (Fig. 12.3).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb import analysis
from nsmb.systems import gear_rattling
from nsmb.testing import Claims

# %%
# Data
# ----

wheel = nsmb.systems.gear_rattling()
wheel.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(wheel, t_end=40.0)
sol.plot()

# %%
# Bifurcation diagram: phases of the impacts over the amplitude.

cloud = analysis.bifurcation_diagram(wheel, "alpha", np.linspace(1.3, 1.7, 101), follow="up")
cloud.plot()

# %%
# The strange attractor of Fig. 12.6, from the exact map: velocities after the impacts over their
# phases.

# sphinx_gallery_thumbnail_number = 3
orbit = gear_rattling.impact_map(alpha=3.0).iterate(0.0, -0.5, 0.0, 20_000)
figure, ax = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
ax.plot(orbit.tau[200:] % (2 * np.pi), -0.9 * orbit.s_dot_minus[200:], "k,")
ax.set(xlabel="phase of the impact / rad", ylabel="s' after the impact", title="α = 3")

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 12.1")
for alpha in (1.4, 3.0):
    system = nsmb.systems.gear_rattling(alpha=alpha)
    run = nsmb.simulate(system, t_end=60.0, output_step=0)
    impacts = run.events.of_kind("impact")
    exact = gear_rattling.impact_map(alpha=alpha)
    apart = []
    for k in range(len(impacts) - 1):
        tau, place, _ = exact.next_impact(
            impacts.t[k], np.round(impacts.q[k, 0]), impacts.u_plus[k, 0]
        )
        apart.append(tau - impacts.t[k + 1])
    claims.holds(
        f"α = {alpha}: each flight ends as the exact map says", 0.0, apart, atol=1e-9,
        source="(12.15), (12.16)",
    )  # fmt: skip
late = nsmb.simulate(wheel, t_end=2000.0, output_step=0).events.of_kind("impact")
claims.holds(
    "α = 1.4: four impacts that come back", late.u_minus[-8:-4, 0], late.u_minus[-4:, 0],
    atol=1e-8, source="Fig. 12.3",
)  # fmt: skip
claims.holds(
    "periods of 1, 2 and more, then chaos, occur", True,
    bool({1, 2, 4} <= set(cloud.periods.tolist()) and 0 in cloud.periods), source="Fig. 12.3",
)  # fmt: skip
exponents = analysis.lyapunov_spectrum(nsmb.systems.gear_rattling(alpha=3.0)).exponents
claims.holds("α = 3 is chaotic: largest Lyapunov exponent > 0", True, bool(exponents[0] > 0.0),
             source="Fig. 12.6")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.gear_rattling`, :func:`nsmb.systems.gear_rattling.impact_map`,
# :func:`nsmb.analysis.bifurcation_diagram`. Theory: :doc:`/theory/analysis`. Test:
# :source:`tests/systems/test_gear_rattling.py`.
