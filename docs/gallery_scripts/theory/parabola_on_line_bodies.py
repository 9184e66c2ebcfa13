r"""
Parabola against a line, from bodies
====================================

Platform and damper of :doc:`parabola_on_line`, assembled from two bodies, two joints, two springs
and a contact between a :class:`nsmb.geometry.Line` and a :class:`nsmb.geometry.Parabola`. No
formulas for gap, directions and rates are needed. The contact point is found where the distance of
both contours is extremal,

.. math::

   \boldsymbol n_1^{T} \boldsymbol t_2 = 0, \qquad
   \boldsymbol r_D^{T} \boldsymbol t_1 = 0,
   \tag{4.18}

and its motion follows by differentiation (4.38), (4.45). The motion must agree with that of the
formulas.
"""

import matplotlib.pyplot as plt

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

bodies = nsmb.systems.parabola_on_line_bodies()
bodies.parameter_table

# %%
# Motion
# ------
# Here with restitution, so that the damper bounces.

method = nsmb.EventDriven(impact_law="poisson", rtol=1e-11, rest_velocity=1e-5)
sol = nsmb.simulate(bodies.with_parameters(e_N=0.5), t_end=0.4, method=method)
formulas = nsmb.simulate(nsmb.systems.parabola_on_line(e_N=0.5), t_end=0.4, method=method)

figure = plt.figure(figsize=(9.5, 4.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.4))
sol.draw(0.2, ax=left.subplots())
sol.plot(figure=right)

# %%
# Comparison with the source
# --------------------------

claims = Claims("the formulas (4.48)-(4.55)")
order = [0, 3, 1, 2]  # z, phi, x, y among the coordinates of the bodies
claims.holds("kinds of events", formulas.events.kinds, sol.events.kinds)
claims.holds("their times", formulas.events.t, sol.events.t, unit="s", atol=1e-9)
claims.holds("end of the motion", formulas.q[-1], sol.q[-1, order], atol=1e-9)
impacts = formulas.events.of_kind("impact"), sol.events.of_kind("impact")
claims.holds("normal impulses", impacts[0].Lambda_N, impacts[1].Lambda_N, unit="N s", atol=1e-8)
claims.holds(
    "tangential impulses, whose sign is that of the other body",
    -impacts[0].Lambda_T,
    impacts[1].Lambda_T,
    unit="N s",
    atol=1e-8,
)
claims

# %%
# Reference: :func:`nsmb.systems.parabola_on_line_bodies`, :class:`nsmb.Model`. Theory:
# :doc:`/theory/geometry`, :doc:`/theory/multibody`. Test:
# :source:`tests/systems/test_parabola_on_line.py`.
