r"""
Pantograph on the floor
=======================

A pantograph guides two masses over the floor, the outer one twice as far from the pivot as the
inner one. Both contacts impede the same motion, and only a combination of their forces is
determined,

.. math::

   \lambda_{N1} + 2 \lambda_{N2} = M_2\, g, \qquad
   \ddot r = -\frac{\mu_1 \lambda_{N1} + 2 \mu_2 \lambda_{N2}}{M_1}, \qquad
   \begin{aligned} M_1 &= m_1 + 4 m_2 \\ M_2 &= m_1 + 2 m_2 \end{aligned}

so that with different friction coefficients every acceleration between two bounds obeys the laws
(5.63)-(5.66). This is not a defect of the solver: the rigid-body model is indeterminate, and a
simulation selects one of the solutions.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

pantograph = nsmb.systems.pantograph()
pantograph.parameter_table

# %%
# Motion
# ------
# The masses slide outwards until friction stops them. The shaded wedge contains all motions that
# the laws allow.

sol = nsmb.simulate(pantograph, t_end=1.0)
equal = nsmb.simulate(pantograph.with_parameters(mu_1=0.3, mu_2=0.3), t_end=1.0)

figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.0), layout="constrained")
sol.draw(0.2, ax=axes[0])
t = np.linspace(0.0, 1.0, 101)
slow, fast = np.maximum(1 - 1.2 * t, 0.0), np.maximum(1 - 2.4 * t, 0.0)
axes[1].fill_between(t, fast, slow, color="0.85", label="allowed for μ = 0.2, 0.4")
axes[1].plot(sol.t, sol.u[:, 0], label="computed")
axes[1].plot(equal.t, equal.u[:, 0], "--", label="μ = 0.3 at both")
axes[1].set(xlabel="t / s", ylabel="ṙ / m/s")
axes[1].legend()

# %%
# `nsmb.instant.accelerations` reports that the forces are not unique.

start = pantograph.initial_state
decided = nsmb.instant.accelerations(pantograph, start.t, start.q, start.u)
print(decided.case)

# %%
# Comparison with the source
# --------------------------

claims = Claims("(5.63)-(5.66)")
claims.holds(
    "λ_N1 + 2 λ_N2 = M_2 g",
    30.0,
    decided.lambda_N @ [1.0, 2.0],
    unit="N",
    rtol=1e-13,
    source="(5.63)",
)
claims.holds("r̈ between -2.4 and -1.2 m/s²", True, bool(abs(decided.udot[0] + 1.8) <= 0.6 + 1e-12))
stop = sol.events.t[0]
claims.holds(
    "it stops between 1/2.4 and 1/1.2 s", True, bool(1 / 2.4 - 1e-9 <= stop <= 1 / 1.2 + 1e-9)
)
claims.holds(
    "equal friction: r̈ = -μ g M_2/M_1, so it stops at",
    1 / 1.8,
    equal.events.t[0],
    unit="s",
    rtol=1e-9,
    source="(5.64)",
)
claims.holds("the forces are not unique", "non-unique", decided.case, source="section 5.4")
claims

# %%
# Reference: :func:`nsmb.systems.pantograph`, :func:`nsmb.instant.accelerations`. Theory:
# :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_pantograph.py`.
