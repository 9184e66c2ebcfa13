r"""
Ship-turning gear
=================

The gear that slowly turns a ship's engine has backlash, and torsional vibrations pass through it.
Reduced to one coordinate it is a forced oscillator whose spring has a dead zone,

.. math::

   x'' + 2 D_L x' + s(x) = \cos r t, \qquad
   s(x) = \begin{cases} x - p/2 & x > p/2 \\ 0 & |x| \le p/2 \\ x + p/2 & x < -p/2 , \end{cases}
   \tag{12.32}

in dimensionless form. Its resonance curves bend and show hysteresis: between two values of the
backlash, three amplitudes exist. The describing function (12.35) approximates them,

.. math::

   k = \frac{2\theta - \sin 2\theta}{\pi}, \qquad \cos\theta = \frac{v}{2 x_0}.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import ship_turning_gear
from nsmb.testing import Claims

# %%
# Data
# ----

gear = ship_turning_gear()
gear.parameter_table

# %%
# Motion
# ------
# Start outside the backlash: the large motion, which compresses both sides of the spring in turn.

sol = nsmb.simulate(gear, t_end=60.0, q=[9.0])
sol.plot()

# %%
# Amplitudes over the backlash from the describing function and from simulation, upwards and
# downwards.


def settle(p, x, u):
    system = ship_turning_gear(p=p)
    run = nsmb.simulate(system, t_end=40 * system.period, q=[x], u=[u], output_step=0.1)
    late = run.t > 38 * system.period
    return 0.5 * float(np.ptp(run.q[late, 0])), float(run.q[-1, 0]), float(run.u[-1, 0])


plays = np.arange(1.0, 9.01, 0.5)
swept = {}
for name, order in (("upwards", plays), ("downwards", plays[::-1])):
    x, u = (11.0, 0.0) if name == "upwards" else (0.0, 0.0)
    swept[name] = {}
    for p in order:
        swept[name][p], x, u = settle(float(p), x, u)

# sphinx_gallery_thumbnail_number = 2
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for p in np.arange(0.5, 9.01, 0.05):
    found = ship_turning_gear.amplitudes(0.8, float(p))
    ax.plot(np.full(found.size, p), found, "k.", markersize=1.5)
for name, marker in (("upwards", "^"), ("downwards", "v")):
    ax.plot(list(swept[name]), list(swept[name].values()), marker, label=name, markersize=5)
ax.set(xlabel="backlash p", ylabel="amplitude", title="r = 0.8; dots: describing function")
ax.legend()

# %%
# Comparison with the source
# --------------------------

claims = Claims("section 12.2")
large = settle(4.0, 9.0, 0.0)[0]
free = 1.0 / complex(-(0.8**2), 2 * 0.05 * 0.8)
small = settle(4.0, free.real, (0.8j * free).real)[0]
claims.holds("two motions at p = 4, amplitudes by integration", [9.08, 1.55], [large, small],
             atol=0.01, digits=4)  # fmt: skip
near = ship_turning_gear.amplitudes(0.8, 4.0)
claims.holds("the describing function finds them, to 4 %", [large, small], [near[-1], near[0]],
             rtol=0.04, source="(12.35), (12.36)")  # fmt: skip
claims.holds("within the backlash it is a free mass", abs(free), small, rtol=1e-3,
             source="closed form")  # fmt: skip
folds = ship_turning_gear.folds(0.8)
claims.holds(
    "three amplitudes between two values of the backlash, one beyond them", [1, 3, 1],
    [ship_turning_gear.amplitudes(0.8, float(p)).size
     for p in (0.9 * folds[0], folds.mean(), 1.1 * folds[1])],
)  # fmt: skip
claims.holds("hysteresis: at p = 6 the motion depends on where it came from", True,
             swept["upwards"][6.0] > 3.0 * swept["downwards"][6.0])  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.ship_turning_gear`,
# :func:`nsmb.systems.ship_turning_gear.amplitudes`. Test:
# :source:`tests/systems/test_ship_turning_gear.py`.
