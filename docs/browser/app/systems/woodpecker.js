// The woodpecker toy of Pfeiffer & Glocker, section 14.1, as nsmb.systems.woodpecker builds it.

import { moved, slightlyTurned } from "./shapes.js";

const FAR = 100; // ends of the pole, m
// The bird from beak (0, 1) to mass centre (1, 0): fractions of l_S to the right, of h_S upwards.
const BIRD = [
  [0.0, 1.0], [0.26, 0.9], [0.4, 0.78], [0.47, 0.5], [0.52, 0.15], [0.66, -0.25], [0.95, -0.6],
  [1.2, -0.75], [1.52, -1.25], [1.68, -1.2], [1.5, -0.55], [1.36, 0.05], [1.14, 0.55],
  [0.92, 0.9], [0.86, 1.12], [0.7, 1.3], [0.48, 1.32], [0.32, 1.2], [0.24, 1.08],
];

function law(p, contact, e_N) {
  const own = (name) => p[`${name}_${contact}`] ?? p[name];
  return { e_N, mu: own("mu"), e_T: own("e_T"), nu: own("nu") };
}

export const woodpecker = {
  title: "Woodpecker toy",
  about:
    "A sleeve with play slides down a pole; a bird swings on it by a spring. Its edges jam, let " +
    "go and slide, and the beak hits the pole.",
  t_end: 2,
  speed: 0.1,
  sliders: [
    { name: "mu", symbol: "μ", min: 0.1, max: 1.2, step: 0.005 },
    { name: "c_phi", symbol: "c", min: 0.003, max: 0.009, step: 0.0001 },
    { name: "m_S", symbol: "m_S", min: 0.003, max: 0.007, step: 0.0001 },
    { name: "e_beak", symbol: "e", min: 0, max: 0.9, step: 0.01 },
  ],

  describe(p) {
    const edge = [1, p.r_M, 0];
    const play = p.r_M - p.r_0;
    return {
      coordinates: ["y", "phi_M", "phi_S"],
      M: [
        [p.m_S + p.m_M, p.m_S * p.l_M, p.m_S * p.l_G],
        [p.m_S * p.l_M, p.J_M + p.m_S * p.l_M ** 2, p.m_S * p.l_M * p.l_G],
        [p.m_S * p.l_G, p.m_S * p.l_M * p.l_G, p.J_S + p.m_S * p.l_G ** 2],
      ],
      K: [
        [0, 0, 0],
        [0, p.c_phi, -p.c_phi],
        [0, -p.c_phi, p.c_phi],
      ],
      force: {
        constant: [-p.g * (p.m_S + p.m_M), -p.g * (p.m_S * p.l_M), -p.g * (p.m_S * p.l_G)],
      },
      contacts: [
        {
          name: "beak",
          w_N: [0, 0, -p.h_S],
          w_T: [1, p.l_M, p.l_G - p.l_S],
          gap: p.l_M + p.l_G - p.l_S - p.r_0,
          law: law(p, "beak", p.e_beak),
        },
        {
          name: "lower",
          w_N: [0, p.h_M, 0],
          w_T: edge,
          gap: play,
          law: law(p, "lower", p.e_sleeve),
        },
        {
          name: "upper",
          w_N: [0, -p.h_M, 0],
          w_T: edge,
          gap: play,
          law: law(p, "upper", p.e_sleeve),
        },
      ],
    };
  },

  start: (p) => ({ q: [0, -(p.r_M - p.r_0) / p.h_M, -0.2788], u: [-0.3411, 0, -7.4583] }),

  // Points move as in the model, to first order in the angles, so that gaps are those of (14.1).
  scene(p, t, q) {
    const wall = 0.35 * p.r_M;
    const arm = 0.12 * p.h_M;
    const beak = p.l_G - p.l_S; // to the right of the spring
    const right = [[p.r_M, -p.h_M], [p.r_M + wall, -p.h_M], [p.r_M + wall, p.h_M], [p.r_M, p.h_M]];
    const left = right.map(([x, y]) => [-x, y]);
    const lever = [[p.r_M + wall, -arm], [p.l_M, -arm], [p.l_M, arm], [p.r_M + wall, arm]];
    const leg = [[0, 0], [beak + 0.62 * p.l_S, -0.05 * p.h_S]];
    const bird = BIRD.map(([x, y]) => [p.l_S * x + beak, p.h_S * y]);
    const onSleeve = (points) => moved(slightlyTurned(points, q[1]), 0, q[0]);
    const onBird = (points) => moved(slightlyTurned(points, q[2]), p.l_M, q[0] + p.l_M * q[1]);
    const pole = [[-p.r_0, -FAR], [p.r_0, -FAR], [p.r_0, FAR], [-p.r_0, FAR]];
    return {
      outlines: [
        { body: "ground", points: pole, closed: true },
        { body: "sleeve", points: onSleeve(left), closed: true },
        { body: "sleeve", points: onSleeve(right), closed: true },
        { body: "sleeve", points: onSleeve(lever), closed: true },
        { body: "bird", points: onBird(leg), closed: false },
        { body: "bird", points: onBird(bird), closed: true },
      ],
      joints: [[p.l_M, q[0] + p.l_M * q[1]]],
      contacts: [...onBird([[beak, p.h_S]]), ...onSleeve([[p.r_M, -p.h_M], [p.r_M, p.h_M]])],
    };
  },
  // The view moves down with the toy.
  view: (p, t, q) => ({ x: 0.017, y: q[0] - 0.002, width: 0.056, height: 0.078 }),
  scroll: 0.01, // distance between the rings on the pole, which show the descent, m

  portrait: {
    x: { coordinate: 2, rate: false, label: "φ_S / rad" },
    y: { coordinate: 2, rate: true, label: "dφ_S/dt / rad/s" },
  },

  diagram: {
    parameter: "mu",
    label: "between beak impacts / s",
    t_end: 5,
    from: 3.5,
    points(run, from) {
      const times = run.events
        .filter((event) => event.kind === "impact" && event.contacts.includes("beak"))
        .map((event) => event.t);
      return times.slice(1).flatMap((t, i) => (t > from ? [t - times[i]] : []));
    },
  },
};
