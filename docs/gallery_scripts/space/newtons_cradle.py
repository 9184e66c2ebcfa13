r"""
Newton's cradle
===============

In the toy, one ball is released, the last one flies off, and all others stay at rest. For the
impact laws, balls that touch take part in a single impact. Newton's law prescribes the post-impact
velocity of each contact. Poisson's law returns a part of the compression impulse of each contact.
Both give the same result for :math:`k` balls that hit :math:`n - k`: all balls that were hit leave
together,

.. math::

   v^+ = \frac{k (1 + \varepsilon_N)}{n} v, \qquad
   v^+_{1 \dots k} = \frac{k - (n - k) \varepsilon_N}{n} v ,

and the ball that came bounces back. This satisfies the balances of momentum and energy but differs
from the toy, whose balls do not quite touch. With gaps of a hundredth of a millimetre, impacts of
two balls follow one another. All impact laws agree on these, and the last ball leaves alone with
:math:`((1 + \varepsilon_N)/2)^{n-1} v`.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import newtons_cradle
from nsmb.testing import Claims

# %%
# Data
# ----

cradle = nsmb.systems.newtons_cradle()
cradle.parameter_table

# %%
# Motion
# ------
# The toy with its gaps, and balls that touch.

runs = {"gap of 10 µm": nsmb.simulate(cradle, t_end=1.4)}
runs["touching"] = nsmb.simulate(cradle.with_parameters(gap=0.0), t_end=1.4)

figure, axes = plt.subplots(2, 2, figsize=(9.0, 5.6), layout="constrained")
for (name, sol), (picture, curves) in zip(runs.items(), axes, strict=True):
    sol.draw(0.32, ax=picture, title=f"{name}, 0.32 s")
    picture.get_legend().remove()
    curves.plot(sol.t, np.degrees(sol.q), label=[f"ball {i + 1}" for i in range(5)])
    curves.set(xlabel="t / s", ylabel="angle / °")
axes[0, 1].legend(fontsize="small", ncols=2)

# %%
# Velocity of each ball after one impact (left) and after four impacts (right), also for real steel
# balls.

figure, axes = plt.subplots(1, 2, figsize=(8.0, 2.8), sharey=True, layout="constrained")
for ax, gap in zip(axes, (0.0, 1e-5), strict=True):
    for e, marker in ((1.0, "o"), (0.9, "s"), (0.5, "^")):
        sol = nsmb.simulate(cradle.with_parameters(gap=gap, e_N=e), t_end=0.3)
        hits = sol.events.of_kind("impact")
        behind = 0.12 * hits[0 if gap == 0.0 else 3].u_plus
        ax.plot(np.arange(1, 6), behind, marker, label=f"ε = {e:g}")
    ax.set(xlabel="ball", title="touching" if gap == 0.0 else "gap of 10 µm")
axes[0].set_ylabel("velocity after the impacts / m/s")
axes[0].legend()

# %%
# Comparison with known results
# -----------------------------

claims = Claims("closed form")
v = newtons_cradle.velocities()[-1]  # ε = 1 with a gap: speed of the last ball
for law in ("newton", "poisson", "moreau"):
    method = nsmb.EventDriven(impact_law=law, rtol=1e-10)
    for e in (1.0, 0.9):
        system = cradle.with_parameters(gap=0.0, e_N=e)
        hit = nsmb.simulate(system, t_end=0.3, method=method).events.of_kind("impact")[0]
        claims.holds(
            f"{law}, touching, ε = {e:g}: first ball and the others",
            [(1.0 - 4.0 * e) / 5.0 * v, *4 * [(1.0 + e) / 5.0 * v]],
            0.12 * hit.u_plus,
            unit="m/s",
            atol=1e-8,
        )
        system = cradle.with_parameters(e_N=e)
        hit = nsmb.simulate(system, t_end=0.3, method=method).events.of_kind("impact")[3]
        claims.holds(
            f"{law}, with a gap, ε = {e:g}: last ball",
            (0.5 + 0.5 * e) ** 4 * v,
            0.12 * hit.u_plus[-1],
            unit="m/s",
            rtol=1e-5,
        )
three = nsmb.simulate(cradle.with_parameters(k=3), t_end=0.4)
claims.holds(
    "three let go: three go up", 3 * [0.6], three.q.max(axis=0)[-3:], unit="rad", atol=1e-4
)
claims

# %%
# Reference: :func:`nsmb.systems.newtons_cradle`, :func:`nsmb.systems.newtons_cradle.velocities`.
# Theory: :doc:`/theory/contact_laws`. Test: :source:`tests/systems/test_newtons_cradle.py`.
