r"""
Pendulum hitting a moving surface
=================================

A pendulum falls, and its tip hits a rough surface that moves to one side. The normal and the
tangential direction of the contact are linearly dependent, because the pendulum has one degree of
freedom. Impact and friction therefore interact in ways that a coefficient of restitution cannot
describe. Depending on the contact angle :math:`\varphi_0` and the speed of the surface :math:`v_0`
there are six behaviours. They differ in the ratio of speeds :math:`r = -\dot g_{NE}/\dot g_{NA}`,
here for :math:`\mu = \varepsilon_N = 1`:

* :math:`v_0 = 0`: (I) no bounce below 45°; (II) :math:`r = \tan(\varphi_0 - 45°)` above it if slip
  lasts through the compression;
* :math:`v_0 > 0`, pulled: (III) the tip leaves with the surface; (IV) no loss beyond
  :math:`\cos\varphi_0 = 30^{-1/3}`;
* :math:`v_0 < 0`, pushed: (V) no solution while :math:`\tan\varphi_0 < \mu` (8.114); (VI) no loss.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

pendulum = nsmb.systems.impact_pendulum()
pendulum.parameter_table

# %%
# Motion
# ------

sol = nsmb.simulate(pendulum, t_end=2.0)
figure = plt.figure(figsize=(9.5, 3.6), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.4))
sol.draw(0.3, ax=left.subplots())
sol.plot(figure=right)

# %%
# The ratio over the angle and the speed of the surface. A pushed pendulum at too flat an angle
# jams.


def first_ratio(degrees, v_0, **options):
    system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=v_0, **options)
    try:
        impact = nsmb.Simulator(system, output_step=0.0).step(t_max=5.0)
    except nsmb.SimulationError:  # the impact has no solution
        return np.nan
    return -impact.u_plus[0] / impact.u_minus[0]


# sphinx_gallery_thumbnail_number = 2
angles = np.linspace(10.0, 85.0, 26)
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ratios = {}
for v_0, label in ((1.0, "drawn, v_0 = 1 m/s"), (-1.0, "pushed, v_0 = -1 m/s")):
    ratios[v_0] = np.array([first_ratio(degrees, v_0) for degrees in angles])
    ax.plot(angles, ratios[v_0], ".-", label=label)
ratios[0.0] = np.array([first_ratio(degrees, 0.0, reversed_sliding=1) for degrees in angles])
ax.plot(angles, ratios[0.0], ".-", label="at rest, slip through compression")
ax.set(xlabel="φ_0 / °", ylabel="speed after / before")
ax.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 8.14")
steep = angles > 45.0
claims.holds("I: no bounce", 0.0, ratios[0.0][~steep], atol=1e-6)
claims.holds(
    "II: r = tan(φ_0 - 45°)", np.tan(np.radians(angles[steep] - 45)), ratios[0.0][steep], atol=1e-6
)
boundary = np.degrees(np.arccos(30 ** (-1 / 3)))
drawn = angles < boundary
phi = np.radians(angles[drawn])
claims.holds(
    "III: it leaves with the surface, φ̇_E = v_0/(l cos φ_0)",
    1 / np.cos(phi) / np.sqrt(30 * np.cos(phi)),
    ratios[1.0][drawn],
    rtol=1e-6,
)
claims.holds("IV: no loss", 1.0, ratios[1.0][~drawn], atol=1e-6)
claims.holds("V: no solution while tan φ_0 < μ", True, bool(np.isnan(ratios[-1.0][~steep]).all()))
claims.holds("VI: no loss", 1.0, ratios[-1.0][steep], atol=1e-6)
claims

# %%
# Reference: :func:`nsmb.systems.impact_pendulum`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_impact_pendulum.py`.
