// The settled motion over one parameter, computed while the page is idle.

import { axes, begin, range } from "./canvas.js";
import { simulate } from "./run.js";

const COLUMNS = 161;
const SLICE = 12; // computing time per slice, ms, so that the page stays responsive

export class Diagram {
  constructor(core, system, canvas) {
    Object.assign(this, { core, system, canvas });
    this.slider = system.sliders.find(({ name }) => name === system.diagram.parameter);
    this.columns = [];
    this.key = "";
  }

  get done() {
    return this.columns.length === COLUMNS;
  }

  valueOf(column) {
    return this.slider.min + ((this.slider.max - this.slider.min) * column) / (COLUMNS - 1);
  }

  /** Compute points for these values; keep the existing ones if only the parameter has changed. */
  update(values) {
    this.values = values;
    const { [this.slider.name]: current, ...others } = values;
    const key = JSON.stringify(others);
    if (key !== this.key) {
      this.key = key;
      this.columns = [];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.work(), 150);
    }
    this.draw();
  }

  work() {
    const begun = performance.now();
    while (!this.done && performance.now() - begun < SLICE) {
      const value = this.valueOf(this.columns.length);
      this.columns.push({ value, points: this.pointsAt(value) });
    }
    this.draw();
    if (!this.done) this.timer = setTimeout(() => this.work(), 8);
  }

  pointsAt(value) {
    const { t_end, from, samples = 0, points } = this.system.diagram;
    const values = { ...this.values, [this.slider.name]: value };
    return points(simulate(this.core, this.system, values, { t_end, samples }), from);
  }

  draw() {
    const drawing = begin(this.canvas);
    const { context, colours } = drawing;
    const { min, max, name, symbol, unit } = this.slider;
    const label = unit && unit !== "-" ? `${symbol} / ${unit}` : symbol;
    this.frame = axes(drawing, {
      x: { low: min, high: max, label },
      y: {
        ...range(this.columns.flatMap((column) => column.points)),
        label: this.system.diagram.label,
      },
    });
    context.fillStyle = colours.accent;
    for (const { value, points } of this.columns) {
      for (const point of points) {
        context.fillRect(this.frame.px(value) - 0.8, this.frame.py(point) - 0.8, 1.6, 1.6);
      }
    }
    context.fillStyle = colours.mark;
    context.fillRect(this.frame.px(this.values[name]) - 1, this.frame.top, 2, this.frame.h);
    if (!this.done) {
      context.fillStyle = colours.muted;
      context.textAlign = "right";
      context.textBaseline = "top";
      const part = Math.round((100 * this.columns.length) / COLUMNS);
      const { left, top, w } = this.frame;
      context.fillText(`computing ${part} %`, left + w - 6, top + 6);
    }
  }

  /** Return the parameter at a point of the canvas, rounded to steps of its slider. */
  valueAt(x) {
    const { min, max, step } = this.slider;
    const part = Math.min(1, Math.max(0, (x - this.frame.left) / this.frame.w));
    return min + Math.round((part * (max - min)) / step) * step;
  }
}
