// One run of a system: the samples and events that the core returns.

export const STATES = ["open", "stick", "slip +", "slip -", "slip"];
export const KINDS = ["impact", "touch", "detach", "stick", "slip", "reversal", "switch", "user"];

export class Run {
  constructor(result, description) {
    this.status = result.status;
    this.message = result.message;
    this.contacts = description.contacts.map((contact) => contact.name);
    this.n = description.coordinates.length;
    const samples = result.samples ?? { t: [], y: [], contact_state: [] };
    this.t = samples.t;
    this.y = samples.y;
    this.states = samples.contact_state;
    this.events = result.events ? this.listEvents(result.events) : [];
    this.impactLoss = result.impact_loss ?? 0;
    this.frictionLoss = result.friction_loss ?? 0;
  }

  get empty() {
    return this.t.length === 0;
  }

  get end() {
    return this.empty ? 0 : this.t[this.t.length - 1];
  }

  q(sample, i) {
    return this.y[2 * this.n * sample + i];
  }

  u(sample, i) {
    return this.y[2 * this.n * sample + this.n + i];
  }

  state(sample, contact) {
    return this.states[this.contacts.length * sample + contact];
  }

  /** Return the last sample with t <= time: after an event, not before it. */
  sampleAt(time) {
    let low = 0;
    let high = this.t.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Return coordinates and velocities at a time, by cubic interpolation between two samples. */
  at(time) {
    const k = this.sampleAt(time);
    const q = Array.from({ length: this.n }, (_, i) => this.q(k, i));
    const u = Array.from({ length: this.n }, (_, i) => this.u(k, i));
    const h = k + 1 < this.t.length ? this.t[k + 1] - this.t[k] : 0;
    if (h > 0 && time > this.t[k]) {
      const s = Math.min(1, (time - this.t[k]) / h);
      for (let i = 0; i < this.n; i += 1) {
        const [q_0, u_0] = [this.q(k, i), this.u(k, i)];
        const [q_1, u_1] = [this.q(k + 1, i), this.u(k + 1, i)];
        const a = q_1 - q_0 - h * u_0;
        const b = h * (u_1 - u_0) - 2 * a;
        q[i] = q_0 + s * (h * u_0 + s * (a - b + s * b));
        u[i] = u_0 + s * (u_1 - u_0);
      }
    }
    return { q, u, sample: k };
  }

  listEvents(table) {
    const nc = this.contacts.length;
    const all = [...this.contacts.keys()];
    return Array.from({ length: table.rows }, (_, row) => {
      const touched = all.filter((i) => table.event_contacts[nc * row + i]);
      return {
        t: table.event_t[row],
        kind: KINDS[table.event_kind[row]],
        contacts: touched.map((i) => this.contacts[i]),
        change: touched.map((i) => [
          STATES[table.event_state_minus[nc * row + i]],
          STATES[table.event_state_plus[nc * row + i]],
        ]),
        before: table.event_u_minus.slice(this.n * row, this.n * (row + 1)),
        loss: table.event_energy_loss[row],
      };
    });
  }
}

/** Run a system of the page. `options`: t_end, samples (number, in addition to events). */
export function simulate(core, system, values, options = {}) {
  const description = system.describe(values);
  const t_end = options.t_end ?? system.t_end;
  const samples = options.samples ?? 1000;
  const result = core.simulate(description, {
    ...system.method,
    ...system.start(values),
    t_end,
    output_step: samples > 0 ? t_end / samples : 0,
  });
  return new Run(result, description);
}
