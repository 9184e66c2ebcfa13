r"""
Masonry arch
============

An arch of dry stones stands if some line of thrust stays within all of its joints. The thinnest
semicircular arch has exactly one such line. It touches the outside at the crown, the inside at the
haunches and the outside at the springings, where five hinges form. With the thrust :math:`H` at the
crown, its moment :math:`Q` about the centre, and the weight :math:`W` at :math:`x` between the
crown and a joint at :math:`\varphi`,

.. math::

   r_i N \le Q + W x \le r_o N, \qquad N = H \cos\varphi + W \sin\varphi ,

and arches of many stones need :math:`t/R = 0.1075` (Milankovitch; Heyman's 0.106 is an estimate).
The simulation does not use lines of thrust: its stones are convex hulls in space that touch with
friction.
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import masonry_arch
from nsmb.testing import Claims

# %%
# Data
# ----

arch = nsmb.systems.masonry_arch()
arch.parameter_table

# %%
# Motion
# ------
# Left: the thickness above, with the forces in the joints. Right: 20 % less than the critical
# thickness.

critical = masonry_arch.thickness()
thin = arch.with_parameters(t=0.8 * critical)
longer = nsmb.Midpoint(2e-3)
stands, falls = nsmb.simulate(arch), nsmb.simulate(thin, t_end=0.5, method=longer)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained")
stands.draw(1.0, ax=axes[0], title="t = 0.24 m, 1 s")
axes[0].get_legend().remove()
falls.draw(0.5, ax=axes[1], title=f"t = {0.8 * critical:.3f} m, 0.5 s", forces=False)

# %%
# The critical thickness of arches of few stones, from the conditions above.

numbers = np.arange(5, 23)
needed = [masonry_arch.thickness(n=n, R=1.0) for n in numbers.tolist()]
figure, ax = plt.subplots(figsize=(6.0, 2.8), layout="constrained")
ax.plot(numbers[numbers % 2 == 0], needed[1::2], "o", label="joint at the crown")
ax.plot(numbers[numbers % 2 == 1], needed[0::2], "s", label="stone at the crown")
ax.axhline(0.1075, color="k", linewidth=0.8)
ax.set(xlabel="stones", ylabel="critical t/R")
ax.legend()

# %%
# Comparison with known results
# -----------------------------
# Displacement of the stones after a tenth of a second, with the thickness 1e-4 (relative) above and
# below the critical value.


def way(n, change):
    """Return the largest displacement of a stone in m."""
    t = masonry_arch.thickness(n=n) * (1.0 + change)
    q = nsmb.simulate(arch.with_parameters(n=n, t=t), t_end=0.1).q.reshape(-1, n, 7)[..., :3]
    return np.abs(q[-1] - q[0]).max()


claims = Claims("limit analysis")
claims.holds("critical t/R of 60 stones", 0.1075, masonry_arch.thickness(n=60, R=1.0), atol=2e-4)
for n in (8, 12, 16):
    claims.holds(f"{n} stones, 1e-4 above: displacement", 0.0, way(n, 1e-4), unit="m", atol=1e-9)
    claims.holds(f"{n} stones, 1e-4 below: they fall", True, bool(way(n, -1e-4) > 1e-6))
x, z = (falls.q[-1] - falls.q[0]).reshape(-1, 7)[:, [0, 2]].T
claims.holds("the crown goes down", True, bool(z[7] == z.min() or z[8] == z.min()))
claims.holds("the haunches go out", True, bool(x[:8].min() < 0.0 < x[8:].max()))
claims

# %%
# Reference: :func:`nsmb.systems.masonry_arch`, :func:`nsmb.systems.masonry_arch.thickness`. Steps:
# :doc:`/learn/stepping`. Test: :source:`tests/systems/test_masonry_arch.py`.
