r"""
Elastic discs
=============

An elastic disc hits another one at rest, without friction. Each disc is a mesh of 817 nodes, of
which few deformation shapes are kept. A method on position level finds forces that leave no gap
negative at the end of a step. A method on velocity level finds forces with which closed nodes do
not approach at the end of a step:

.. math::

   0 \le g_N \perp \lambda_N \ge 0 , \qquad 0 \le \dot g_N \perp \lambda_N \ge 0 .

The discs separate more slowly than they approached. The missing energy remains in them as
vibration.
"""

import dataclasses
import time

import matplotlib.pyplot as plt
import numpy as np

import nsmb
from nsmb.testing import Claims

# %%
# Data
# ----

discs = nsmb.systems.elastic_discs()
discs.parameter_table

# %%
# Motion
# ------
# Contact force in steps of 20 µs, with free modes alone and with additional static shapes of the
# contact nodes. The curves are means over ten steps, because a node that stops abruptly has a large
# force in its first step. On the right, the discs at 5 ms are coloured by the von Mises stress.
# Like E it includes the thickness and has the unit N/m.

H, T_END = 2e-5, 0.0125
names = discs.coordinates
CENTRES = [names.index("left_frame.x"), names.index("right_frame.x")]


def stepped(system, method=nsmb.PositionForces(H, mixing=0.5)):  # noqa: B008 - immutable
    """Simulate in steps, with a method that computes forces."""
    return nsmb.simulate(system, T_END, method=method, output_step=H)


free = stepped(discs)
static = discs.with_parameters(basis="attachment", modes=20)
kept = stepped(static)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.0), layout="constrained")
for sol, label in ((free, "55 free modes"), (kept, "20 and static shapes")):
    force = np.convolve(sol.lambda_N.sum(axis=1), np.full(10, 0.1), "same")
    axes[0].plot(1e3 * sol.t, force, lw=0.9, label=label)
axes[0].set(xlabel="t / ms", ylabel="force / N")
axes[0].legend(fontsize="small")
kept.draw(0.005, ax=axes[1], title="5 ms", forces=False, stresses=4e3)
axes[1].set_ylim(-0.6, 0.6)

# %%
# Step, error of the force, and cost
# ----------------------------------
# Stiff discs, E = 2e8 N/m, as in Fig. 5.7. The error is the deviation of the force of a step from
# the mean force over this step in an event-driven run: its root mean square over the run, divided
# by the largest force. The right figure shows processor time. Steps larger than 2.8 divided by the
# highest frequency are unstable. In small steps, the impulse that abruptly stops the mass of a node
# is a force proportional to 1/h. The error then grows like :math:`h^{-1/2}`. On velocity level it
# is larger by a factor of :math:`\sqrt 2`, because the impulse acts in one step instead of two.

HIT, STEPS = 7.5e-4, np.array([8e-5, 4.5e-5, 3e-5, 2e-5, 1e-5, 5e-6])
LEVELS = (
    ("position", nsmb.PositionForces(H, mixing=0.5), "o-"),
    ("velocity", nsmb.VelocityForces(H), "s--"),
)
hard = discs.with_parameters(E=2e8, gap=1e-5)


def off(sol, exact):
    """Return the relative RMS error of the force over all steps."""
    force = exact.lambda_N.sum(axis=1)
    total = np.append(0.0, np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(exact.t)))
    mean = np.diff(np.interp(sol.t, exact.t, total)) / np.diff(sol.t)
    return np.sqrt(np.mean((sol.lambda_N[1:].sum(axis=1) - mean) ** 2)) / force.max()


errors = {}
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), sharex=True, layout="constrained")
for color, modes in zip(("C0", "C1"), (20, 40), strict=True):
    system = hard.with_parameters(modes=modes)
    exact = nsmb.simulate(system, HIT, output_step=2e-6)
    for level, usual, line in LEVELS:
        found = []
        for h in STEPS:
            method = dataclasses.replace(usual, step=h)
            start = time.process_time()
            sol = nsmb.simulate(system, HIT, method=method, output_step=h, throw=False)
            found.append((off(sol, exact), time.process_time() - start))
        errors[modes, level], cost = np.array(found).T
        style = {"color": color, "ms": 4.0, "lw": 0.9, "label": f"{modes} modes, {level} level"}
        axes[0].semilogx(1e6 * STEPS, errors[modes, level], line, **style)
        axes[1].semilogx(1e6 * STEPS, cost, line, **style)
axes[0].set(ylabel="error of the force", ylim=(0.0, 0.2))
axes[1].set(ylabel="processor time / s", ylim=(0.0, None))
for ax in axes:
    ax.set_xlabel("step / µs")
    ax.minorticks_off()
    ax.set_xticks([5, 10, 20, 40, 80], ["5", "10", "20", "40", "80"])
axes[1].legend(fontsize="small")

# %%
# The mode numbers of the source, run once by ``benchmarks/discs.py`` on a busy machine. With all
# unknowns the contact lasts 0.949 ms, the largest force is 6492 N, and the discs separate at
# 0.48797 m/s.
#
# ===== ======== ====== ======= ===== ===================== =====================
# modes contact  most   apart   step  position level        velocity level
#       ms       N      m/s     µs    error, m/s, s         error, m/s, s
# ===== ======== ====== ======= ===== ===================== =====================
# 55    0.676    8441   0.47872 20    3.2 %, 0.47705, 0.5   3.4 %, 0.47746, 0.6
# 55                            10    4.0 %, 0.47839, 0.7   5.2 %, 0.47847, 0.6
# 55                            5     5.5 %, 0.47868, 0.9   7.6 %, 0.47864, 1.0
# 100   0.718    8088   0.48313 20    2.2 %, 0.48037, 2.8   2.3 %, 0.48069, 3.2
# 100                           10    2.3 %, 0.48274, 3.1   2.8 %, 0.48283, 3.4
# 100                           5     3.0 %, 0.48304, 4.6   4.1 %, 0.48306, 4.8
# 200   0.752    7754   0.48474 20    1.9 %, 0.47838, 29    6.8 %, 0.48139, 41
# 200                           15    1.5 %, 0.48269, 27    2.1 %, 0.48345, 25
# 200                           10    1.3 %, 0.48423, 25    1.5 %, 0.48462, 25
# 200                           5     1.7 %, 0.48466, 32    2.1 %, 0.48471, 30
# ===== ======== ====== ======= ===== ===================== =====================
#
# In all runs the velocities of the centres add up to 0.5 m/s within 1e-12 m/s. With 200 modes,
# position level allows larger steps for the same error, as the source says. Processor time is
# dominated by dense mass matrices during the contact, and hardly depends on the level. Force and
# duration converge slowly to those of all unknowns; with static shapes of the contact nodes they
# converge much faster.

# %%
# Loss over damping and modes
# ---------------------------
# Loss of kinetic and elastic energy of both discs when they separate, as in Fig. 5.8: in per cent,
# over the damping ratio of each mode and over the number of modes.

ZETAS, MODES = (0.0, 0.03, 0.1, 0.3), (10, 20, 40)


def lost(modes, zeta):
    """Return the loss of energy in per cent, in the step after the last one with a force."""
    system = discs.with_parameters(modes=modes, zeta=zeta, gap=1e-4)
    method = nsmb.PositionForces(2e-4, mixing=0.5)
    sol = nsmb.simulate(system, 8.4e-3, method=method, output_step=2e-4)
    whole = sum(
        e.kinetic + e.elastic for e in (sol.bodies[body].energy for body in ("left", "right"))
    )
    apart = np.flatnonzero(sol.lambda_N.any(axis=1))[-1] + 1
    return 100.0 * (1.0 - whole[apart] / whole[0])


loss = np.array([[lost(modes, zeta) for zeta in ZETAS] for modes in MODES])
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), sharey=True, layout="constrained")
for row, modes in zip(loss, MODES, strict=True):
    axes[0].plot(ZETAS, row, "o-", ms=4.0, label=f"{modes} modes")
for column, zeta in zip(loss.T, ZETAS, strict=True):
    axes[1].plot(MODES, column, "o-", ms=4.0, label=f"ζ = {zeta:g}")
axes[0].set(xlabel="ζ", ylabel="loss of energy / %")
axes[1].set(xlabel="free modes of a disc")
for ax in axes:
    ax.legend(fontsize="small")

# %%
# Comparison with known results
# -----------------------------
# The numbers of the source's figures are not available, only its statements. The reference of the
# tests is a disc with all 1634 unknowns against a wall half way between the discs, in a frame that
# moves at their mean velocity.


def outcome(system):
    """Return the contact duration in ms and the final velocities of the centres, event-driven."""
    sol = nsmb.simulate(system, T_END)
    mine = system.coordinates
    centres = [mine.index("left_frame.x"), mine.index("right_frame.x")]
    times = sol.events.of_kind("detach").t[-1] - sol.events.t[0]
    return 1e3 * times, sol.u[-1, centres]


claims = Claims("Ebrahimi (2007), section 5.6")
lasts, events = outcome(discs)
claims.holds("sum of velocities", 0.5, events.sum(), unit="m/s", atol=1e-12, source="momentum")
claims.holds("they part slower than they came", True, bool(events[1] - events[0] < 0.5))
claims.holds("position level, Radau's map as Runge and Kutta's", free.u[-1, CENTRES],
             stepped(discs, nsmb.PositionForces(H, integrator="radau", mixing=0.5)).u[-1, CENTRES],
             unit="m/s", atol=1e-6)  # fmt: skip
claims.holds("velocity level as position level", free.u[-1, CENTRES],
             stepped(discs, nsmb.VelocityForces(H)).u[-1, CENTRES],
             unit="m/s", atol=2e-5)  # fmt: skip
claims.holds("schemes as events with e_N = 0", events, free.u[-1, CENTRES], unit="m/s", atol=2e-5,
             source="events")  # fmt: skip
claims.holds("more modes, less loss", True, bool((np.diff(loss, axis=0) < 0.0).all()))
claims.holds("more damping, more loss", True, bool((np.diff(loss, axis=1) > 0.0).all()))
claims.holds("the more damping, the more the number of modes matters", True,
             bool((np.diff(loss[0] - loss[-1]) > 0.0).all()))  # fmt: skip
inner = [0 < int(np.argmin(error)) < STEPS.size - 1 for error in errors.values()]
claims.holds("each number of modes has a step of least error, on both levels", [True] * 4, inner)
claims.holds("too large steps: worse, or no run", [True] * 4,
             [bool(error[0] > 3.0 * error.min()) for error in errors.values()])  # fmt: skip
claims.holds("small steps: the force spreads more", True,
             bool((np.diff([error[3:] for error in errors.values()]) > 0.0).all()))  # fmt: skip
best = {key: STEPS[int(np.argmin(error))] for key, error in errors.items()}
claims.fails("position level takes larger steps than velocity level: of least error, 40 modes",
             True, bool(best[40, "position"] > best[40, "velocity"]),
             because="for both it is what the highest frequency allows")  # fmt: skip
whole, velocity = 9.495, 0.48797
claims.fails("55 modes are enough at E = 2e6 N/m: duration", whole, lasts, unit="ms", rtol=0.05,
             because="one node touches at this velocity and mesh, and its force is not made of "
             "free modes")  # fmt: skip
better = outcome(static)
claims.holds("20 modes and static shapes: duration", whole, better[0], unit="ms", rtol=0.01,
             source="all unknowns")  # fmt: skip
claims.holds("velocity apart", velocity, np.diff(better[1])[0], unit="m/s", atol=1e-3,
             source="all unknowns")  # fmt: skip
claims

# %%
# Reference: :func:`nsmb.systems.elastic_discs`. Bodies: :doc:`/reference/flexible`. Test:
# :source:`tests/systems/test_elastic_discs.py`.
