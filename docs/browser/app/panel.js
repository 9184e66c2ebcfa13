// A system with sliders: recomputes the run when one moves, and plays the result.

import { Diagram } from "./diagram.js";
import { element, symbolElement, withDecimals } from "./elements.js";
import { EventList } from "./event_list.js";
import { drawMechanism } from "./mechanism.js";
import { drawPortrait } from "./portrait.js";
import { simulate } from "./run.js";
import { STATE_BARS } from "./canvas.js";
import { drawStrip } from "./strip.js";

const SPEEDS = [1, 0.5, 0.2, 0.1, 0.05, 0.02];

const picture = (name, label) =>
  element("canvas", { class: `nsmb-canvas nsmb-${name}`, role: "img", "aria-label": label });

const figure = (title, canvas) =>
  element("figure", {}, element("figcaption", {}, title), canvas);

export class Panel {
  /** `data`: default, unit and description of every parameter, as in Python. */
  constructor(root, core, system, data, { diagram = true } = {}) {
    Object.assign(this, { root, core, system, data });
    this.defaults = {
      ...Object.fromEntries(Object.entries(data).map(([name, entry]) => [name, entry.default])),
      ...system.initial,
    };
    this.values = { ...this.defaults };
    this.time = 0;
    this.speed = system.speed;
    this.playing = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.build(diagram);
    this.compute();
    this.watchPage();
    requestAnimationFrame((now) => this.frame(now));
  }

  build(withDiagram) {
    const { system } = this;
    this.mechanism = picture("mechanism", `${system.title}: the mechanism, with its contacts`);
    const { width, height } = system.view(this.values, 0, system.start(this.values).q);
    this.mechanism.style.aspectRatio = `${width} / ${height}`;
    this.portrait = picture("portrait", "Phase portrait");
    this.strip = picture("strip", "Contact states over time");
    this.strip.addEventListener("click", (event) => {
      this.show((event.offsetX - this.stripFrame.left) / this.stripFrame.w * system.t_end);
    });
    this.list = new EventList((t) => this.show(t));
    this.status = element("p", { class: "nsmb-status", role: "status" });
    const pictures = [
      figure("Mechanism", this.mechanism),
      figure("Phase portrait", this.portrait),
    ];
    if (withDiagram) pictures.push(this.buildDiagram());
    this.root.replaceChildren(
      element("div", { class: "nsmb-controls" }, ...this.buildSliders(), this.buildPlayer()),
      element("div", { class: "nsmb-pictures" }, ...pictures),
      element("figure", {}, this.buildLegend(), this.strip),
      this.status,
      this.list.element,
    );
    this.root.classList.add("nsmb-ready");
  }

  buildDiagram() {
    const { parameter, label } = this.system.diagram;
    const canvas = picture("diagram", `Settled motion, ${label}, over ${parameter}`);
    this.diagram = new Diagram(
      this.core,
      { ...this.system, sliders: this.sliderData() },
      canvas,
    );
    canvas.addEventListener("click", (event) => {
      this.set(parameter, this.diagram.valueAt(event.offsetX));
    });
    return figure(`Settled motion over ${this.data[parameter].description}`, canvas);
  }

  sliderData() {
    return this.system.sliders.map((slider) => ({ ...slider, ...this.data[slider.name] }));
  }

  buildSliders() {
    this.inputs = new Map();
    return this.sliderData().map(({ name, symbol, unit, description, min, max, step }) => {
      const shown = element("span", { class: "nsmb-value" });
      const input = element("input", {
        type: "range", name, min, max, step,
        oninput: () => this.set(name, Number(input.value)),
      });
      this.inputs.set(name, { input, shown, step, unit: unit === "-" ? "" : unit });
      return element(
        "label",
        { class: "nsmb-slider" },
        element("span", {}, symbolElement(symbol), ` ${description}`),
        input,
        shown,
      );
    });
  }

  buildPlayer() {
    this.playButton = element("button", { type: "button", onclick: () => this.toggle() });
    this.clock = element("input", {
      type: "range", min: 0, max: this.system.t_end, step: this.system.t_end / 2000,
      "aria-label": "Time", class: "nsmb-time",
      oninput: () => this.show(Number(this.clock.value)),
    });
    this.now = element("span", { class: "nsmb-value" });
    const speed = element(
      "select",
      { "aria-label": "Speed", onchange: () => { this.speed = Number(speed.value); } },
      ...SPEEDS.map((value) =>
        element("option", { value, selected: value === this.speed }, `speed × ${value}`),
      ),
    );
    const reset = element(
      "button",
      { type: "button", onclick: () => this.reset() },
      "Reset",
    );
    return element(
      "div", { class: "nsmb-player" }, this.playButton, this.clock, this.now, speed, reset,
    );
  }

  buildLegend() {
    const entries = Object.entries(STATE_BARS).filter(([name]) => name !== "slip");
    return element(
      "figcaption",
      {},
      "Contact states: ",
      ...entries.map(([name, [colour]]) =>
        element(
          "span",
          { class: "nsmb-key" },
          element("span", { style: `background: ${colour}`, "aria-hidden": "true" }),
          name,
        ),
      ),
      element(
        "span",
        { class: "nsmb-key" },
        element("b", { "aria-hidden": "true" }, "|"),
        "impact",
      ),
    );
  }

  /** Set a parameter; everything is recomputed, at most once per frame of the screen. */
  set(name, value) {
    this.values[name] = value;
    this.due = true;
  }

  reset() {
    this.values = { ...this.defaults };
    this.time = 0;
    this.due = true;
  }

  show(time) {
    this.playing = false;
    this.time = Math.min(Math.max(0, time), this.run.end);
    this.draw();
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.run.end) this.time = 0;
    this.draw();
  }

  compute() {
    this.due = false;
    const begun = performance.now();
    this.run = simulate(this.core, this.system, this.values);
    const took = performance.now() - begun;
    this.time = Math.min(this.time, this.run.end);
    for (const [name, { input, shown, step, unit }] of this.inputs) {
      input.value = this.values[name];
      shown.textContent = `${withDecimals(this.values[name], step)} ${unit}`.trim();
      input.setAttribute("aria-valuetext", shown.textContent);
    }
    this.list.show(this.run);
    this.tell(took);
    this.diagram?.update(this.values);
    this.root.dataset.milliseconds = took.toFixed(1);
    this.draw();
  }

  tell(took) {
    const { run } = this;
    const ended = run.status !== "finished";
    this.status.classList.toggle("nsmb-failed", ended);
    if (run.empty) {
      this.status.textContent = `Not run: ${run.message}`;
    } else if (ended) {
      this.status.textContent =
        `The run ended early, at t = ${run.end.toFixed(6)} s (${run.status}): ${run.message}`;
    } else {
      this.status.textContent =
        `Finished: ${this.system.t_end} s of motion with ${run.events.length} events computed ` +
        `in ${took.toFixed(1)} ms; lost ${run.impactLoss.toExponential(2)} J by impacts, ` +
        `${run.frictionLoss.toExponential(2)} J by sliding.`;
    }
  }

  frame(now) {
    if (this.due) this.compute();
    const passed = Math.min(0.1, (now - (this.before ?? now)) / 1000);
    this.before = now;
    if (this.playing && !this.run.empty && this.isVisible()) {
      this.time += this.speed * passed;
      if (this.time > this.run.end) this.time = 0;
      this.draw();
    }
    requestAnimationFrame((next) => this.frame(next));
  }

  isVisible() {
    const { top, bottom } = this.root.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  }

  draw() {
    const { system, values, run, time } = this;
    drawMechanism(this.mechanism, system, values, run, time);
    drawPortrait(this.portrait, system, run, time);
    this.stripFrame = drawStrip(this.strip, run, system.t_end, time);
    this.list.mark(time);
    this.clock.value = time;
    this.now.textContent = `t = ${time.toFixed(4)} s`;
    this.playButton.textContent = this.playing ? "Pause" : "Play";
  }

  /** Adapt sizes and colours to the page. */
  watchPage() {
    const redraw = () => {
      this.draw();
      this.diagram?.draw();
    };
    new ResizeObserver(redraw).observe(this.root);
    new MutationObserver(redraw).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme", "data-mode"],
    });
  }
}
