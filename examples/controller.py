"""A controller at 1 kHz: it reads the state and sets the force of a motor every millisecond."""

import matplotlib.pyplot as plt
import numpy as np

import nsmb

M, STOP, E_N = 0.8, 0.5, 0.3  # kg, m, -
K_P, K_D, LIMIT, TARGET = 60.0, 6.0, 12.0, 0.45
PERIOD = 1e-3  # s


def cart() -> nsmb.LinearSystem:
    """Build a cart that a motor pushes on a rail with a stop at its end."""
    motor = nsmb.Input("motor", unit="N")
    stop = nsmb.Contact(w_N=[-1.0], gap=STOP, law=nsmb.ContactLaw(e_N=E_N), name="stop")
    return nsmb.LinearSystem(
        [[M]],
        force=nsmb.Force(inputs={motor: [1.0]}),
        contacts=[stop],
        coordinates=["x"],
        coordinate_units=["m"],
        name="cart",
    )


def main(t_end: float = 1.5) -> tuple[nsmb.Solution, np.ndarray]:
    """Return the run, and the times and forces of the controller, shape (n, 2)."""
    sim = nsmb.Simulator(cart(), output_step=0.0)
    log = []
    for k in range(round(t_end / PERIOD)):
        force = K_P * (TARGET - sim.q[0]) - K_D * sim.u[0]
        force = float(np.clip(force, -LIMIT, LIMIT))
        sim.set(motor=force)
        log.append((k * PERIOD, force))
        sim.advance((k + 1) * PERIOD)
    return sim.solution, np.array(log)


def picture(result: tuple[nsmb.Solution, np.ndarray]) -> plt.Figure:
    """Plot the position of the cart and the force of the motor."""
    sol, log = result
    figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7.2, 4.4), layout="constrained")
    t = np.linspace(*sol.t_span, 2000)
    above.plot(t, sol.at(t).q[:, 0], color="black", linewidth=1.0)
    above.axhline(TARGET, color="#0072B2", linewidth=0.8, linestyle="--", label="target")
    above.axhline(STOP, color="#D55E00", linewidth=0.8, label="stop")
    above.set(ylabel="x / m")
    above.legend(frameon=False, loc="lower right")
    below.step(log[:, 0], log[:, 1], where="post", color="black", linewidth=1.0)
    below.set(xlabel="t / s", ylabel="force / N")
    above.set_title("cart with a controller at 1 kHz", loc="left", fontsize="medium")
    return figure


if __name__ == "__main__":
    result = main()
    print(result[0])
    picture(result).savefig("controller.png", dpi=100)
