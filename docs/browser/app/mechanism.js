// The mechanism at one instant.

import { begin, BODY_FILLS, STATE_BARS } from "./canvas.js";
import { STATES } from "./run.js";

const COILS = 9;

function path(context, points, closed, place) {
  context.beginPath();
  points.forEach((point, i) => {
    const [x, y] = place(point);
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
  if (closed) context.closePath();
}

function drawSpring(context, [from, to], place) {
  const [a, b] = [place(from), place(to)];
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const along = (s, side) => [
    a[0] + s * dx - (side * 6 * dy) / length,
    a[1] + s * dy + (side * 6 * dx) / length,
  ];
  const points = [along(0, 0), along(0.08, 0)];
  for (let i = 0; i < 2 * COILS; i += 1) {
    points.push(along(0.08 + (0.84 * (i + 0.5)) / (2 * COILS), i % 2 === 0 ? 1 : -1));
  }
  points.push(along(0.92, 0), along(1, 0));
  path(context, points, false, (point) => point);
  context.stroke();
}

function drawRings(drawing, { view, scroll, place, scale }) {
  const { context, colours } = drawing;
  context.strokeStyle = colours.border;
  context.lineWidth = 1;
  const half = (0.5 * drawing.height) / scale;
  for (let i = Math.ceil((view.y - half) / scroll); i * scroll < view.y + half; i += 1) {
    const [x, y] = place([0, i * scroll]);
    context.beginPath();
    context.moveTo(x - 0.0025 * scale, y);
    context.lineTo(x + 0.0025 * scale, y);
    context.stroke();
  }
}

export function drawMechanism(canvas, system, values, run, time) {
  const drawing = begin(canvas);
  if (run.empty) return;
  const { context, width, height, colours } = drawing;
  const { q, sample } = run.at(time);
  const scene = system.scene(values, time, q);
  const view = system.view(values, time, q);
  const scale = Math.min(width / view.width, height / view.height);
  const place = ([x, y]) => [
    0.5 * width + scale * (x - view.x),
    0.5 * height - scale * (y - view.y),
  ];
  const bodies = [...new Set(scene.outlines.map((outline) => outline.body))];
  const moving = bodies.filter((body) => body !== "ground");
  for (const { body, points, closed } of scene.outlines) {
    path(context, points, closed, place);
    if (closed) {
      context.fillStyle = body === "ground" ? colours.ground : BODY_FILLS[moving.indexOf(body)];
      context.fill();
    }
    context.strokeStyle = body === "ground" ? colours.muted : colours.text;
    context.lineWidth = 1.2;
    context.stroke();
    if (body === "ground" && system.scroll) {
      drawRings(drawing, { view, scroll: system.scroll, place, scale });
    }
  }
  context.strokeStyle = colours.muted;
  for (const spring of scene.springs ?? []) drawSpring(context, spring, place);
  for (const joint of scene.joints ?? []) {
    const [x, y] = place(joint);
    context.fillStyle = colours.text;
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fill();
  }
  scene.contacts.forEach((point, i) => {
    const style = STATE_BARS[STATES[run.state(sample, i)]];
    const [x, y] = place(point);
    context.beginPath();
    context.arc(x, y, style ? 6 : 4, 0, 2 * Math.PI);
    context.lineWidth = 1.5;
    context.strokeStyle = style ? style[0] : colours.muted;
    context.fillStyle = style ? style[0] : "transparent";
    context.fill();
    context.stroke();
  });
}
