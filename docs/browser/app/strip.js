// Contact states over time: stick, slip, open; impacts are lines across the row.

import { axes, begin, STATE_BARS } from "./canvas.js";
import { STATES } from "./run.js";

export function drawStrip(canvas, run, t_end, time) {
  const drawing = begin(canvas);
  const { context, colours } = drawing;
  const rows = run.contacts.length;
  const frame = axes(drawing, {
    x: { low: 0, high: t_end, label: "t / s" },
    y: { low: 0, high: 0, label: "" },
  });
  const rowHeight = frame.h / rows;
  run.contacts.forEach((name, i) => {
    const top = frame.top + i * rowHeight;
    context.fillStyle = colours.text;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(name, frame.left - 7, top + rowHeight / 2);
    let first = 0;
    for (let k = 1; k <= run.t.length; k += 1) {
      if (k < run.t.length && run.state(k, i) === run.state(first, i)) continue;
      const style = STATE_BARS[STATES[run.state(first, i)]];
      if (style) {
        const [colour, low, height] = style;
        const x = frame.px(run.t[first]);
        const end = frame.px(run.t[Math.min(k, run.t.length - 1)]);
        context.fillStyle = colour;
        context.fillRect(
          x, top + (1 - low - height) * rowHeight, Math.max(0.6, end - x), height * rowHeight,
        );
      }
      first = k;
    }
    context.fillStyle = colours.text;
    for (const event of run.events) {
      if (event.kind === "impact" && event.contacts.includes(name)) {
        context.fillRect(frame.px(event.t) - 0.5, top + 2, 1, rowHeight - 4);
      }
    }
  });
  if (run.end < t_end) {
    context.globalAlpha = 0.2;
    context.fillStyle = colours.mark;
    context.fillRect(frame.px(run.end), frame.top, frame.px(t_end) - frame.px(run.end), frame.h);
    context.globalAlpha = 1;
  }
  context.fillStyle = colours.mark;
  context.fillRect(frame.px(time) - 1, frame.top, 2, frame.h);
  return frame;
}
