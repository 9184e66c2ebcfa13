// A velocity over a coordinate: the whole run, and its part up to the current time.

import { axes, begin, range } from "./canvas.js";

export function drawPortrait(canvas, system, run, time) {
  const drawing = begin(canvas);
  if (run.empty) return;
  const { context, colours } = drawing;
  const { x, y } = system.portrait;
  const read = ({ coordinate, rate }, k) => (rate ? run.u(k, coordinate) : run.q(k, coordinate));
  const all = Array.from(run.t.keys());
  const frame = axes(drawing, {
    x: { ...range(all.map((k) => read(x, k))), label: x.label },
    y: { ...range(all.map((k) => read(y, k))), label: y.label },
  });
  const draw = (to) => {
    context.beginPath();
    for (let k = 0; k <= to; k += 1) {
      const point = [frame.px(read(x, k)), frame.py(read(y, k))];
      if (k === 0) context.moveTo(...point);
      else context.lineTo(...point);
    }
    context.stroke();
  };
  const now = run.at(time);
  context.lineWidth = 1;
  context.strokeStyle = colours.muted;
  context.globalAlpha = 0.45;
  draw(run.t.length - 1);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.3;
  draw(now.sample);
  const value = ({ coordinate, rate }) => (rate ? now.u : now.q)[coordinate];
  context.fillStyle = colours.mark;
  context.beginPath();
  context.arc(frame.px(value(x)), frame.py(value(y)), 4.5, 0, 2 * Math.PI);
  context.fill();
}
