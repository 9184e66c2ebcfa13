// A mass on a moving belt, held by a spring, as nsmb.systems.belt_oscillator builds it.

import { block, moved } from "./shapes.js";

const size = (p) => (p.mu_s * p.m * p.g) / p.c || 0.1; // displacement at the end of sticking, m

export const belt_oscillator = {
  title: "Stick-slip on a belt",
  about:
    "The belt takes the mass along until the spring is stronger than friction at rest. Friction " +
    "falls with the slip speed and so feeds the swing; damping, or a faster belt, ends it.",
  t_end: 8,
  speed: 0.5,
  initial: { d: 1 },
  sliders: [
    { name: "v_B", symbol: "v_B", min: 0.02, max: 0.5, step: 0.005 },
    { name: "mu_s", symbol: "μ_s", min: 0.25, max: 0.8, step: 0.01 },
    { name: "mu_d", symbol: "μ_d", min: 0.05, max: 0.4, step: 0.01 },
    { name: "d", symbol: "d", min: 0, max: 5, step: 0.05 },
  ],

  describe: (p) => ({
    coordinates: ["x", "y"],
    M: [
      [p.m, 0],
      [0, p.m],
    ],
    K: [
      [p.c, 0],
      [0, 0],
    ],
    D: [
      [p.d, 0],
      [0, 0],
    ],
    force: { constant: [0, -p.m * p.g] },
    contacts: [
      {
        name: "belt",
        w_N: [0, 1],
        w_T: [1, 0],
        w_tilde_T: -p.v_B,
        law: {
          mu: p.mu_s,
          curve: p.mu_d === p.mu_s ? undefined : { mu_d: p.mu_d, v_s: p.v_s },
        },
      },
    ],
  }),

  start: () => ({ q: [0, 0], u: [0, 0] }),

  scene(p, t, q) {
    const s = size(p);
    const pitch = 0.25 * s;
    const shift = (p.v_B * t) % (2 * pitch);
    const saw = Array.from({ length: 33 }, (_, i) => {
      const tooth = i - 16;
      return [pitch * tooth, -0.3 * pitch * (2 + Math.abs(tooth % 2))];
    });
    return {
      outlines: [
        { body: "belt", points: [[4 * s, 0], [-4 * s, 0]], closed: false },
        { body: "belt", points: moved(saw, shift, 0), closed: false },
        { body: "ground", points: [[-3 * s, 0.1 * s], [-3 * s, s]], closed: false },
        { body: "mass", points: moved(block(s, 0.7 * s), q[0], q[1]), closed: true },
      ],
      springs: [[[-3 * s, 0.35 * s], [q[0] - 0.5 * s, q[1] + 0.35 * s]]],
      contacts: [[q[0], 0]],
    };
  },
  view(p) {
    const s = size(p);
    return { x: -0.4 * s, y: 0.35 * s, width: 6 * s, height: 1.8 * s };
  },

  portrait: {
    x: { coordinate: 0, rate: false, label: "x / m" },
    y: { coordinate: 0, rate: true, label: "dx/dt / m/s" },
  },

  diagram: {
    parameter: "v_B",
    label: "turning points of x / m",
    t_end: 16,
    from: 11,
    samples: 1600,
    points(run, from) {
      const found = [];
      for (let i = 1; i < run.t.length; i += 1) {
        if (run.t[i] > from && run.u(i - 1, 0) * run.u(i, 0) < 0) found.push(run.q(i, 0));
      }
      return found;
    },
  },
};
