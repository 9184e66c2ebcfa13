// A ball on a vibrating table, as nsmb.systems.ball_on_table builds it.

import { block, disc, moved } from "./shapes.js";

const startHeight = (p) => p.g * (Math.PI / p.omega) ** 2;
const table = (p, t) => p.A * Math.sin(p.omega * t);

export const ball_on_table = {
  title: "Ball on a vibrating table",
  about:
    "A ball jumps on a table that moves up and down. With more amplitude one jump per period " +
    "becomes two, four, and then no number at all; with less the ball comes to rest.",
  t_end: 2,
  speed: 0.2,
  sliders: [
    { name: "A", symbol: "A", min: 0.0002, max: 0.003, step: 0.00001 },
    { name: "omega", symbol: "ω", min: 40, max: 120, step: 0.5 },
    { name: "e", symbol: "e", min: 0, max: 0.95, step: 0.01 },
  ],

  describe: (p) => ({
    coordinates: ["s"],
    M: [[p.m]],
    force: {
      constant: [-p.m * p.g],
      // s = y - A sin ωt, so s̈ = -g + A ω² sin ωt.
      harmonics: [
        { amplitude: [p.m * p.A * p.omega ** 2], omega: p.omega, phase: -0.5 * Math.PI },
      ],
    },
    contacts: [{ name: "table", w_N: [1], law: { e_N: p.e } }],
  }),

  start: (p) => ({ q: [startHeight(p)], u: [0] }),

  scene(p, t, q) {
    const r = 0.12 * startHeight(p);
    const height = table(p, t);
    return {
      outlines: [
        { body: "table", points: moved(block(6 * r, r), 0, height - r), closed: true },
        { body: "ball", points: moved(disc(r), 0, height + q[0] + r), closed: true },
      ],
      contacts: [[0, height]],
    };
  },
  view(p) {
    const height = startHeight(p);
    return { x: 0, y: 0.75 * height, width: 1.3 * height, height: 2.1 * height };
  },

  portrait: {
    x: { coordinate: 0, rate: false, label: "s / m" },
    y: { coordinate: 0, rate: true, label: "ds/dt / m/s" },
  },

  diagram: {
    parameter: "A",
    label: "speed of impact / m/s",
    t_end: 16,
    from: 12,
    points: (run, from) =>
      run.events
        .filter((event) => event.kind === "impact" && event.t > from)
        .map((event) => -event.before[0]),
  },
};
