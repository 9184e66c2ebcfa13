r"""
Helical spring
==============

A mass drops on a helical spring until its coils touch. The wire is a beam along the helix. Each
coil carries a mesh, and neighbouring coils press on each other over areas. The spring alone obeys

.. math::

   K = \frac{G d^4}{8 D^3 n}, \qquad z(t) = \frac{m g}{K} \left( 1 - \cos \sqrt{K/m}\, t \right).
"""

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.systems import helical_spring
from nsmb.testing import Claims

# %%
# Data
# ----

spring = nsmb.systems.helical_spring(modes=0, contacts=True)
spring.parameter_table

# %%
# Motion
# ------
# Motion to the first contact and back. Without contacts the mass would continue downwards.

K, g, m = helical_spring.stiffness(), 9.81, 6.5
sol = nsmb.simulate(spring, 0.07, rtol=1e-5)
free = nsmb.simulate(spring.with_parameters(contacts=False), 0.07)
figure, axes = plt.subplots(2, 1, figsize=(9.0, 4.6), layout="constrained", sharex=True)
t = np.linspace(0.0, 0.07, 141)
at = sol.at(t)
axes[0].plot(1e3 * t, 1e3 * at.q[:, 0], lw=0.9, label="coils that meet")
axes[0].plot(1e3 * t, 1e3 * free.at(t).q[:, 0], "k--", lw=0.8, label="coils that do not")
axes[0].set(ylabel="mass / mm")
axes[0].legend()
names = ("coils_1_2", "coils_2_3", "coils_3_4")
contacts = {
    name: [spring.areal_contact(name, 0.0, q, u) for q, u in zip(at.q, at.u, strict=True)]
    for name in names
}
for name, found in contacts.items():
    axes[1].plot(1e3 * t, [1e-6 * c.pressure for c in found], lw=0.9, label=name)
axes[1].set(xlabel="t / ms", ylabel="largest pressure / MPa")
axes[1].legend()

# %%
# Comparison with the source
# --------------------------
# The coils first touch at 0.049 s. A mass without losses reaches this time after 7.65 mm, not after
# the 6 mm between free and solid length. The pitch is not given, and is chosen here for that time.
# With the printed damping of the layers, 3,000 N s/m³, forces relax in 1e-10 s and nothing is
# dissipated. In the source, the mass loses most of its energy in the first of two contacts. The
# damping of the layers is chosen to match that loss.
#
# The source gives no damping of the wire. With the default damping ratio of its modes, 0.02, the
# motion of the mass has 3e-4 of critical damping, and the coils touch a third time. With a damping
# ratio of 0.5 they do not.

damped = nsmb.systems.helical_spring.parameter_sets["damped_wire"]
nsmb.results.ParameterTable("damped_wire", damped, spring.parameter_info)

# %%

wire = spring.with_parameters(**damped)
times = np.linspace(0.0, 0.4, 801)
data = {
    "printed layers": wire.with_parameters(d_l=3e3, zeta=0.02),
    "damped layers": wire.with_parameters(zeta=0.02),
    "damped layers and wire": wire,
}
runs = {label: nsmb.simulate(system, 0.4, rtol=1e-5).at(times) for label, system in data.items()}
closed = {
    label: np.array([
        any(data[label].areal_contact(name, 0.0, q, u).active for name in names)
        for q, u in zip(at.q, at.u, strict=True)
    ])
    for label, at in runs.items()
}  # fmt: skip
figure, axis = plt.subplots(figsize=(9.0, 3.2), layout="constrained")
for k, (label, at) in enumerate(runs.items()):
    axis.plot(times, 1e3 * at.q[:, 0], lw=1.0, color=f"C{k}", label=label)
    row = np.where(closed[label], -8.4 - 0.3 * k, np.nan)
    axis.plot(times, row, lw=3.0, color=f"C{k}")
for instant in (0.049, 0.175, 0.31):
    axis.axvline(instant, color="k", lw=0.6, ls=":")
axis.set(xlabel="t / s", ylabel="mass / mm",
         title="dotted: shortest length, as printed; bars: coils in contact")  # fmt: skip
axis.legend(ncols=3, fontsize="small")

# %%
# Comparison with known results
# -----------------------------
# The source states a stiffness of 13,531 N/m from simulation and 13,426 N/m from its formula. Its
# coils first touch at 0.049 s. By its data they touch after a displacement of 6 mm, which takes
# 0.040 s without losses.

claims = Claims("formula and S. Ebrahimi (2007)")
q, u, h = np.zeros(spring.nq), np.zeros(spring.nu), 1e-4
still = spring.with_parameters(contacts=False)
found = (still.forces(0.0, q - h, u) - still.forces(0.0, q + h, u))[0] / (2.0 * h)
claims.holds("stiffness", K, found, unit="N/m", rtol=1e-2)
travel = np.arccos(1.0 - 6e-3 * K / (m * g)) / np.sqrt(K / m)
touch = t[np.argmax([max(c[k].active for c in contacts.values()) > 0 for k in range(len(t))])]
claims.holds("first contact", travel, touch, unit="s", rtol=0.1)
claims.holds("all coils meet", True, all(any(c.active for c in f) for f in contacts.values()))
touches = closed["damped layers and wire"]
claims.holds("first contact at the printed time: holds with damped_wire", 0.049,
             times[np.argmax(touches)], unit="s", rtol=0.02)  # fmt: skip
z = runs["damped layers"].q[:, 0]
turns = np.flatnonzero(np.diff(np.sign(np.diff(z)))) + 1
lowest, highest = turns[::2], turns[1::2]
names = ("first", "second", "third")
for name, said, row in zip(names, (0.049, 0.175, 0.31), lowest, strict=True):
    claims.holds(f"{name} time of the shortest spring, damped layers", said, times[row], unit="s",
                 rtol=0.03)  # fmt: skip
for name, said, row in zip(names, (0.105, 0.24, 0.36), highest, strict=True):
    claims.holds(f"{name} peak, damped layers", said, times[row], unit="s", rtol=0.09)
claims.holds("half a period from contact to peak", np.pi * np.sqrt(m / K),
             times[highest[1]] - times[lowest[1]], unit="s", rtol=0.03)  # fmt: skip
falls = -np.diff(np.append(0.0, z[highest]))  # from peak to peak
claims.holds("much is lost in the first contact, little in the second, less in the third", True,
             bool(falls[0] > 5.0 * falls[1] > 10.0 * falls[2] > 0.0))  # fmt: skip
z = runs["damped layers and wire"].q[:, 0]
turns = np.flatnonzero(np.diff(np.sign(np.diff(z)))) + 1
claims.holds("contact at the first and the second time of the shortest spring, none at the third "
             "one: holds with damped_wire", "yes, yes, no",
             ", ".join("yes" if touches[row] else "no" for row in turns[:6:2]))  # fmt: skip
claims.holds("third time of the shortest spring: holds with damped_wire", 0.31, times[turns[4]],
             unit="s", rtol=0.04)  # fmt: skip
falls = -np.diff(np.append(0.0, z[turns[1:6:2]]))
claims.holds("material damping is negligible beside damping in contact, below a tenth: holds with "
             "damped_wire", True, bool(falls[2] < 0.1 * falls[0]))  # fmt: skip
elastic = runs["printed layers"].q[:, 0]
claims.fails("the printed damping takes energy at each contact", True,
             elastic[times > 0.05].max() < -0.5e-3,
             because="layers relax within 1e-10 s")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.helical_spring`. Test:
# :source:`tests/systems/test_areal_systems.py`.
