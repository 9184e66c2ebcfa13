r"""
Block on an incline
===================

A block is thrown up an incline and stops. Coulomb's set-valued law determines whether it stays
there or slides back. During stick the friction force takes any value within its bounds. During slip
it has the largest value and opposes the motion,

.. math::

   |\lambda_T| \le \mu \lambda_N \;\text{ for } \dot g_T = 0, \qquad
   \lambda_T = -\mu \lambda_N \operatorname{sign} \dot g_T \;\text{ for } \dot g_T \ne 0 .

With the weight :math:`m g` the block stays if and only if :math:`\tan\alpha \le \mu`. Regularised
friction, a steep curve through the origin, would let it creep down indefinitely. (Introduction of
chapter 6.)
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

block = nsmb.systems.incline_block()
block.parameter_table

# %%
# Motion
# ------
# With these data the block slides back. With twice the friction it stays where it stops.

sol = nsmb.simulate(block, t_end=1.0)
rough = nsmb.simulate(block.with_parameters(mu=0.6), t_end=1.0)

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
for run, label in ((sol, "μ = 0.3"), (rough, "μ = 0.6")):
    axes[0].plot(run.t, run.q[:, 0], label=label)
    axes[1].plot(run.t, run.lambda_T[:, 0], label=label)
axes[0].set(xlabel="t / s", ylabel="x down the slope / m")
axes[1].set(xlabel="t / s", ylabel="friction force / N")
axes[0].legend()

# %%
# Forces on the way up, during slip.

sol.draw(0.1)

# %%
# Comparison with the source
# --------------------------

claims = Claims("chapter 6")
p = block.parameters
m, g, v, alpha = p["m"], p["g"], p["v"], p["alpha"]
for run, mu, kind in ((sol, 0.3, "reversal"), (rough, 0.6, "stick")):
    up = g * (np.sin(alpha) + mu * np.cos(alpha))
    claims.holds(
        f"μ = {mu}, tan α = {np.tan(alpha):.3f}: it "
        + ("slides back" if kind == "reversal" else "stays"),
        [kind],
        run.events.kinds,
    )
    claims.holds(
        f"μ = {mu}: stops after",
        v / up,
        run.events.t[0],
        unit="s",
        rtol=1e-12,
        source="closed form",
    )
    stays = kind == "stick"
    force = -m * g * np.sin(alpha) if stays else -mu * m * g * np.cos(alpha)
    claims.holds(
        f"μ = {mu}: friction then "
        + ("carries the weight along the slope" if stays else "is at its limit"),
        force,
        run.lambda_T[-1, 0],
        unit="N",
        rtol=1e-12,
        source="section 6.4",
    )
claims.holds("and nothing creeps", 0.0, rough.u[-1, 0], unit="m/s")
claims

# %%
# Reference: :func:`nsmb.systems.incline_block`. Theory: :doc:`/theory/contact_laws`.
# Test: :source:`tests/systems/test_stacked_masses.py`.
