"""A handmade run, with the arrays of the core in closed form."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb

H, G, E, SPEED = 1.0, 10.0, 0.5, 3.0  # m, m/s², -, m/s
T_1 = float(np.sqrt(2.0 * H / G))  # first impact
T_2 = T_1 + 2.0 * E * T_1  # second impact, and end of the run
T_MID = 0.75 * T_1 + 0.25 * T_2  # end of a step between them
V_1 = -G * T_1  # m/s, before the first impact


class Ball:
    """A ball that falls from H with horizontal speed and hits the floor at T_1 and T_2."""

    t_1, t_2, t_mid = T_1, T_2, T_MID

    @staticmethod
    def y(t: NDArray[np.float64] | float, side: str = "right") -> NDArray[np.float64]:
        """Return (x, y, ẋ, ẏ) along the last axis."""
        time = np.asarray(t, dtype=float)
        after = time - T_1
        first = time < T_1 if side == "right" else time <= T_1
        height = np.where(first, H - G * time**2 / 2, -E * V_1 * after - G * after**2 / 2)
        rate = np.where(first, -G * time, -E * V_1 - G * after)
        if side == "right":
            rate = np.where(time == T_2, -E * (-E * V_1 - G * (T_2 - T_1)), rate)
        return np.stack([SPEED * time, height, np.full_like(time, SPEED), rate], axis=-1)

    @staticmethod
    def system() -> nsmb.LinearSystem:
        law = nsmb.ContactLaw(e_N=E)
        return nsmb.LinearSystem(
            np.eye(2),
            force=[0.0, -G],
            contacts=[
                nsmb.Contact(w_N=[-1.0, 0.0], gap=100.0, law=law, name="wall"),
                nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="floor"),
            ],
            coordinates=["x", "y"],
            coordinate_units=["m", "m"],
            name="thrown ball",
            parameters={"e": E},
        )

    @classmethod
    def step(cls, start: float, end: float, degree: int) -> NDArray[np.float64]:
        """Return the power series on one step, column by column for (x, y, ẋ, ẏ)."""
        h = end - start
        x, y, vx, vy = cls.y(start)
        series = np.zeros((degree + 1, 4))
        series[0] = x, y, vx, vy
        series[1] = h * vx, h * vy, 0.0, -h * G
        series[2] = 0.0, -G * h**2 / 2, 0.0, 0.0
        return series.ravel()

    @classmethod
    def data(cls) -> dict[str, NDArray[Any]]:
        """Return the data of the core: two impacts, the first followed by one without effect."""
        t = np.array([0.0, T_1, T_1, T_MID, T_2, T_2])
        sides = ["right", "left", "right", "right", "left", "right"]
        y = np.stack([cls.y(time, side) for time, side in zip(t, sides, strict=True)])
        u_1, u_2 = (cls.y(time, "left")[2:] for time in (T_1, T_2))
        bounced_1, bounced_2 = (cls.y(time)[2:] for time in (T_1, T_2))
        loss_1, loss_2 = ((a @ a - b @ b) / 2 for a, b in ((u_1, bounced_1), (u_2, bounced_2)))
        steps = [(0.0, T_1, 2), (T_1, T_MID, 5), (T_MID, T_2, 3)]
        series = [cls.step(*step) for step in steps]
        zero, zero_state = np.zeros((6, 2)), np.zeros((3, 2), dtype=np.int8)
        compression = np.array([-u_1[1], 0.0, -u_2[1]])  # N s, stops the ball
        losses = np.array([loss_1, 0.0, loss_2])
        return {
            "t": t,
            "y": y,
            "g_N": np.column_stack([100.0 - y[:, 0], y[:, 1]]),
            "gamma_N": np.column_stack([-y[:, 2], y[:, 3]]),
            "gamma_T": np.column_stack([np.zeros(6), y[:, 2]]),
            "lambda_N": zero,
            "lambda_T": zero,
            "friction_loss": zero,
            "contact_state": np.zeros((6, 2), dtype=np.int8),
            "element_gamma": np.zeros((6, 0)),
            "element_force": np.zeros((6, 0)),
            "element_mode": np.zeros((6, 0), dtype=np.int8),
            "event_t": np.array([T_1, T_1, T_2]),
            "event_kind": np.zeros(3, dtype=np.int8),
            "event_contacts": np.array([[0, 1]] * 3, dtype=np.uint8),
            "event_q": np.array([cls.y(T_1)[:2], cls.y(T_1)[:2], cls.y(T_2)[:2]]),
            "event_u_minus": np.array([u_1, bounced_1, u_2]),
            "event_u_plus": np.array([bounced_1, bounced_1, bounced_2]),
            "event_Lambda_N": np.array(
                [[0.0, (b - a)[1]] for a, b in ((u_1, bounced_1), (u_1, u_1), (u_2, bounced_2))]
            ),
            "event_Lambda_T": np.zeros((3, 2)),
            "event_state_minus": zero_state,
            "event_state_plus": zero_state,
            "event_Lambda_NC": np.column_stack([np.zeros(3), compression]),
            "event_Lambda_TC": np.zeros((3, 2)),
            "event_energy_loss": losses,
            "event_compression_loss": compression**2 / 2,
            "event_drive_work": np.zeros(len(compression)),
            "event_work_N": np.column_stack([np.zeros(3), -losses]),
            "event_work_T": np.zeros((3, 2)),
            "event_features": np.zeros((3, 0), np.int32),
            "lambda_B": np.zeros((7, 0)),
            "features": np.zeros((7, 0), np.int32),
            "event_x": np.zeros((3, 0)),
            "event_elements": np.zeros((3, 0), dtype=np.uint8),
            "event_friction_loss": np.zeros((3, 2)),
            "step_start": np.array([step[0] for step in steps]),
            "step_end": np.array([step[1] for step in steps]),
            "step_offset": np.cumsum([0, *(s.size for s in series[:-1])]).astype(np.int64),
            "step_degree": np.array([step[2] for step in steps], dtype=np.int32),
            "step_state": zero_state,
            "coefficients": np.concatenate(series),
        }

    @classmethod
    def solution(cls, **changes: NDArray[Any]) -> nsmb.Solution:
        return nsmb.Solution.from_core(
            cls.system(),
            cls.data() | changes,
            status="finished",
            message="",
            stats={"impacts": 3, "impact_loss": 0.1 + 0.2},
        )
