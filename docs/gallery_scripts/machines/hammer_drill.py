r"""
Electropneumatic hammer drill
=============================

A crank moves a driving piston. Through an air cushion this piston throws the primary piston against
a secondary one, which hits the tool in the material. The model has two rigid contacts in a chain
with Newton's impact law, five guides with dry friction, a backstop, and a coupling with backlash.
The material stores the depth to which it was pressed in. The cushion is adiabatic,

.. math::

   F_A = A\, p_0 \left[\left(\frac{L_0}{L}\right)^{\kappa} - 1\right], \qquad
   L = L_0 + x_1 + r \sin\Omega t - x_2 ,

and the material is loaded along :math:`c_{f1}` and unloaded along :math:`c_{f2}` from the stored
point of reversal. It returns :math:`c_{f1}/c_{f2} = 1/2` of the work of a blow (14.30).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import trapezoid

import nsmb
from nsmb.systems import hammer_drill
from nsmb.testing import Claims

# %%
# Data
# ----
# The book prints one number: the tool rebounds with half of its energy.

drill = nsmb.systems.hammer_drill()
drill.parameter_table

# %%
# Motion
# ------
# Two revolutions of the crank in the settled motion.

T = drill.period
before = nsmb.simulate(drill, t_end=40 * T, record="nothing")
sol = nsmb.simulate(drill, t_end=44 * T, start=before)
t = np.linspace(40 * T, 42 * T, 8001)
at = sol.at(t)

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
for i, name in ((0, "casing"), (1, "primary piston"), (2, "secondary piston"), (3, "tool")):
    axes[0].plot(1e3 * (t - t[0]), 1e3 * at.q[:, i], label=name)
axes[0].set(xlabel="t / ms", ylabel="displacement / mm")
axes[0].legend(fontsize=7)
axes[1].plot(1e3 * (t - t[0]), 1e-3 * hammer_drill.air(sol, t))
axes[1].set(xlabel="t / ms", ylabel="air cushion / kN")
force = hammer_drill.material(sol, t)
axes[2].plot(-1e3 * at.q[:, 3], 1e-3 * force)
axes[2].set(xlabel="tool in the material / mm", ylabel="force / kN")

# %%
# A blow. Arrows are contact forces.

impacts = sol.events.of_kind("impact")
first = impacts[(impacts.t > 42 * T) & (impacts.t < 43 * T)]
blow = float(first.t[first.Lambda_N[:, 0].argmax()])
sol.animate(speed=0.005, fps=12.5, t_span=(blow - 4e-3, blow + 9e-3), dpi=45, forces=False)

# %%
# Backlash of the coupling
# ------------------------
# Fig. 14.19 compares the acceleration of the handle with that for a rigid coupling. The book says
# that backlash produces excessive joint forces and vibration of high frequency. The height of the
# peaks depends on the stops, whose data are not printed. The stops of this parameter set are stiff
# and dissipate little. The cylinder that bounces between them is light, and the backlash is small.

hard = nsmb.systems.hammer_drill.parameter_sets["hard_stops"]
nsmb.results.ParameterTable("hard_stops", hard, drill.parameter_info)

# %%
# Five revolutions of the crank. Positive values point towards the hand.

with_backlash = drill.with_parameters(**hard)
couplings = {
    "backlash 0.1 mm": with_backlash,
    "rigid coupling": with_backlash.with_parameters(epsilon=0.0),
}
peaks = []
figure, axis = plt.subplots(figsize=(9.0, 3.2), layout="constrained")
for label, model in couplings.items():
    before = nsmb.simulate(model, t_end=15 * T, record="nothing")
    run = nsmb.simulate(model, t_end=20 * T, start=before)
    fine = np.linspace(15 * T, 20 * T, 20001)
    a = hammer_drill.acceleration(run, fine)
    axis.plot((fine - fine[0]) / T, a, lw=0.8, label=label)
    peaks.append((a.max(), -a.min()))
axis.set(xlabel="revolutions of the crank", ylabel="acceleration of the handle / m/s²")
axis.legend()
fall = 1.0 - np.array(peaks[1]) / np.array(peaks[0])
print(f"without backlash pushes fall by {fall[0]:.0%} and pulls by {fall[1]:.0%}")

# %%
# Comparison with the source
# --------------------------

claims = Claims("Fig. 14.18")
p = drill.parameters
after = impacts[(impacts.t >= blow) & (impacts.t < blow + 1e-4)]
hits_a, hits_b = after.at_contact("a"), after.at_contact("b")
claims.holds("the primary piston hits the secondary one downwards", True,
             bool(hits_a.u_minus[0, 1] < -5.0))  # fmt: skip
claims.holds("that hits the tool and bounces back", True,
             bool(hits_b.u_minus[0, 2] < 0.0 < hits_b.u_plus[0, 2]))  # fmt: skip
claims.holds("and gives the primary piston an upward velocity", True,
             bool(hits_a.u_plus[:, 1].max() > 0.0))  # fmt: skip
t = np.linspace(blow, blow + 0.02 * T, 20001)
at = sol.at(t)
out = np.flatnonzero((at.q[1:, 3] >= 0.0) & (at.q[:-1, 3] < 0.0))
end = int(out[0]) if out.size else t.size - 1
power = (hammer_drill.material(sol, t) * at.u[:, 3])[:end]
done = -trapezoid(np.minimum(power, 0.0), t[:end])
returned = trapezoid(np.maximum(power, 0.0), t[:end])
claims.holds("the material returns half of the work", 0.5, returned / done, rtol=1e-3)
fine = np.linspace(40 * T, 44 * T, 16001)
a = hammer_drill.acceleration(sol, fine)
claims.holds("the handle's acceleration has peaks of both signs", True,
             bool(a.min() < -100.0 and a.max() > 100.0), source="Fig. 14.19")  # fmt: skip
claims.holds("backlash produces excessive peaks: without it pushes fall by more than half, pulls "
             "by more than three quarters, holds with hard_stops", True,
             bool(fall[0] > 0.5 and fall[1] > 0.75), source="Fig. 14.19")  # fmt: skip
loss = 0.5 * p["m_2"] * hits_a.u_minus[0, 1] ** 2
claims.holds("energy of a blow, chosen as of a 7 kg machine", 5.8, loss, unit="J", rtol=0.03,
             source="data", digits=3)  # fmt: skip
claims.holds("energy balance: residual of what is turned over", 0.0, sol.energy.relative,
             atol=1e-6, source="balance")  # fmt: skip
claims

# %%
# All claims of the book, with and without backlash of the coupling: :doc:`/systems/hammer_drill`.
# Reference: :func:`nsmb.systems.hammer_drill`. Tests: :source:`tests/systems/test_hammer_drill.py`,
# :source:`tests/symbolic/test_elements_with_memory.py`.
