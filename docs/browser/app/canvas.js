// Canvases with sharp lines in the colours of the page.

// Contact states have the colours and positions of nsmb's figures. The colours are those of Okabe
// and Ito, distinct for any colour vision; [colour, lower edge, height] in a row of height 1.
export const STATE_BARS = {
  stick: ["#0072B2", 0.14, 0.72],
  "slip +": ["#E69F00", 0.5, 0.36],
  "slip -": ["#D55E00", 0.14, 0.36],
  slip: ["#CC79A7", 0.32, 0.36],
};
export const BODY_FILLS = ["#BCD7EC", "#F6DDB5", "#CBE4C6", "#E4CFE0"];

/** Return the colours of the current theme of the page: light, dark, or another one. */
export function pageColours() {
  const style = getComputedStyle(document.body);
  const read = (name, usual) => style.getPropertyValue(name).trim() || usual;
  return {
    text: read("--pst-color-text-base", style.color),
    muted: read("--pst-color-text-muted", "#777777"),
    border: read("--pst-color-border", "#bbbbbb"),
    ground: read("--pst-color-surface", "#efefef"),
    accent: "#0072B2",
    mark: "#D55E00",
  };
}

/** Return the cleared context of a canvas in CSS pixels. */
export function begin(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.lineJoin = "round";
  context.font = "12px system-ui, sans-serif";
  return { context, width, height, colours: pageColours() };
}

/** Return about `count` round values between low and high. */
export function ticks(low, high, count) {
  if (!(high > low)) return [];
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  const inside = last - first + 1;
  return Array.from({ length: inside }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

/** Draw a frame with axes and labels; return the maps from values to pixels and back. */
export function axes(drawing, { x, y, left = 58, right = 18, top = 8, bottom = 36 }) {
  const { context, width, height, colours } = drawing;
  const [w, h] = [width - left - right, height - top - bottom];
  const px = (value) => left + ((value - x.low) / (x.high - x.low)) * w;
  const py = (value) => top + h - ((value - y.low) / (y.high - y.low)) * h;
  context.strokeStyle = colours.border;
  context.lineWidth = 1;
  context.strokeRect(left, top, w, h);
  context.fillStyle = colours.text;
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const value of ticks(x.low, x.high, Math.max(2, w / 90))) {
    context.fillRect(px(value) - 0.5, top + h, 1, 4);
    context.fillText(String(value), px(value), top + h + 6);
  }
  context.fillText(x.label, left + w / 2, top + h + 21);
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of ticks(y.low, y.high, Math.max(2, h / 50))) {
    context.fillRect(left - 4, py(value) - 0.5, 4, 1);
    context.fillText(String(value), left - 7, py(value));
  }
  context.save();
  context.translate(12, top + h / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(y.label, 0, 0);
  context.restore();
  return { px, py, left, top, w, h, x };
}

/** Return the smallest and the largest of the values, with a margin. */
export function range(values, margin = 0.05) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(high >= low)) return { low: 0, high: 1 };
  const pad = high > low ? margin * (high - low) : Math.max(1e-9, 0.1 * Math.abs(high));
  return { low: low - pad, high: high + pad };
}
