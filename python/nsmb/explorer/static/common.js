// Common parts of both pages: elements, arrays from the kernel, axes on canvases.

const INK = "#333333", FAINT = "#ECECEC", GREY = "#7F7F7F", CURVE = "#000000", JUMP = "#D55E00";
const FONT = "12px system-ui, sans-serif";

/** Create an element with properties and children. */
function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("data-") || name.startsWith("aria-")) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** Return arrays of 32-bit floats by name, from one block of bytes. */
function unpack(table, view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  const found = {};
  for (const [name, { offset, shape }] of Object.entries(table)) {
    const count = shape.reduce((a, b) => a * b, 1);
    found[name] = { data: new Float32Array(bytes.buffer, offset, count), shape };
  }
  return found;
}

/** A canvas that fills its box and is redrawn by `draw(context, width, height)`. */
function canvasOf(name, draw) {
  const canvas = make("canvas", { class: "nsmb-canvas", "data-name": name });
  const paint = () => {
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width < 20 || height < 20) return;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = "#FFFFFF";
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.lineJoin = "round";
    draw(context, width, height);
  };
  new ResizeObserver(paint).observe(canvas);
  return { canvas, paint };
}

/** Return about `count` round numbers from low to high. */
function ticksOf(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((f) => f * power >= raw) * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}

function tickText(value, step) {
  if (value === 0) return "0";
  const size = Math.max(Math.abs(value), Math.abs(step));
  if (size >= 1e5 || Math.abs(step) < 1e-4) return value.toExponential(1).replace("-", "−");
  const digits = Math.max(0, -Math.floor(Math.log10(Math.abs(step)) + 1e-9));
  return value.toFixed(digits).replace("-", "−");
}

/** Format a number with a few digits and without superfluous zeros. */
function numberText(value, digits = 5) {
  const text = Number(value).toPrecision(digits);
  return String(Number(text)).replace("-", "−");
}

/** Return the SI prefix and the factor that scale a length in metres to at least one. */
function prefixOf(unit, largest) {
  if (!/^m(\/s)?$/.test(unit) || !(largest > 0)) return ["", 1];
  for (const [prefix, factor] of [["", 1], ["m", 1e3], ["µ", 1e6]]) {
    if (largest * factor >= 1) return [prefix, factor];
  }
  return ["n", 1e9];
}

function axisText(name, unit) {
  if (!unit || unit === "-") return name;
  return unit.includes("/") ? `${name} / (${unit})` : `${name} / ${unit}`;
}

function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Return a range with a margin, wide enough to be drawn. */
function roomy([low, high], part = 0.05) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const width = high - low > 1e-6 * size ? high - low : size || 1;
  const middle = (low + high) / 2;
  return [middle - (0.5 + part) * width, middle + (0.5 + part) * width];
}

/** Draw axes in a box: grid, numbers, names; the functions x and y map numbers to pixels. */
function axes(context, box, xRange, yRange, { xName = "", yName = "", xNumbers = true, yNumbers = true } = {}) {
  const { left, top, width, height } = box;
  const x = (value) => left + ((value - xRange[0]) / (xRange[1] - xRange[0])) * width;
  const y = (value) => top + height - ((value - yRange[0]) / (yRange[1] - yRange[0])) * height;
  const xTicks = ticksOf(...xRange, width / 90), yTicks = yNumbers ? ticksOf(...yRange, Math.max(height / 45, 3)) : [];
  context.lineWidth = 1;
  context.strokeStyle = FAINT;
  context.beginPath();
  for (const tick of yTicks) { context.moveTo(left, y(tick)); context.lineTo(left + width, y(tick)); }
  context.stroke();
  context.strokeStyle = INK;
  context.beginPath();
  context.moveTo(left, top);
  context.lineTo(left, top + height);
  context.lineTo(left + width, top + height);
  for (const tick of xTicks) { context.moveTo(x(tick), top + height); context.lineTo(x(tick), top + height + 4); }
  for (const tick of yTicks) { context.moveTo(left, y(tick)); context.lineTo(left - 4, y(tick)); }
  context.stroke();
  context.fillStyle = INK;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of yTicks) context.fillText(tickText(tick, yTicks[1] - yTicks[0] || tick), left - 7, y(tick));
  context.textAlign = "center";
  if (xNumbers) {
    for (const tick of xTicks) {
      context.fillText(tickText(tick, xTicks[1] - xTicks[0] || tick), x(tick), top + height + 13);
    }
    context.fillText(xName, left + width / 2, top + height + 29);
  }
  if (yName) {
    context.save();
    context.translate(11, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(yName, 0, 0);
    context.restore();
  }
  return { x, y };
}

/** Draw only within the box. */
function within(context, { left, top, width, height }, draw) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  draw();
  context.restore();
}

/** Draw one component of a run over another, dashed where impacts make them jump. */
function drawPortrait(context, width, height, run, xIndex, yIndex, sample) {
  const { t, y, jumps } = run.arrays, columns = y.shape[1], n = t.data.length;
  const values = (k) => { const column = new Float32Array(n); for (let i = 0; i < n; i++) column[i] = y.data[i * columns + k]; return column; };
  const xs = values(xIndex), ys = values(yIndex);
  const xRange = roomy(extent(xs)), yRange = roomy(extent(ys));
  const [xPrefix, xFactor] = prefixOf(run.units[xIndex], Math.max(...xRange.map(Math.abs)));
  const [yPrefix, yFactor] = prefixOf(run.units[yIndex], Math.max(...yRange.map(Math.abs)));
  const box = { left: 62, top: 10, width: width - 74, height: height - 50 };
  const at = axes(context, box, xRange.map((v) => v * xFactor), yRange.map((v) => v * yFactor), {
    xName: axisText(run.names[xIndex], xPrefix + run.units[xIndex]),
    yName: axisText(run.names[yIndex], yPrefix + run.units[yIndex]),
  });
  const place = (i) => [at.x(xs[i] * xFactor), at.y(ys[i] * yFactor)];
  const jumpsAt = new Set(jumps.data);
  within(context, box, () => {
    context.lineWidth = 1.1;
    context.strokeStyle = CURVE;
    context.beginPath();
    for (let i = 0; i < n; i++) {
      if (i === 0 || jumpsAt.has(i)) context.moveTo(...place(i));
      else context.lineTo(...place(i));
    }
    context.stroke();
    context.strokeStyle = JUMP;
    context.setLineDash([5, 3]);
    context.beginPath();
    for (const i of jumpsAt) { context.moveTo(...place(i - 1)); context.lineTo(...place(i)); }
    context.stroke();
    context.setLineDash([]);
  });
  if (sample != null) {
    context.beginPath();
    context.arc(...place(sample), 5, 0, 2 * Math.PI);
    context.fillStyle = "#0072B2";
    context.fill();
  }
}

/** Draw a component over time and, below it, the states of contacts and force elements. */
function drawStrip(context, width, height, run, index, time) {
  const { t, y, jumps, bars, impacts } = run.arrays, columns = y.shape[1], n = t.data.length;
  const rowHeight = Math.min(20, (0.5 * height) / Math.max(run.rows.length, 1));
  const stripHeight = rowHeight * run.rows.length;
  const labels = Math.max(62, ...run.rows.map((row) => context.measureText(row).width + 14));
  const left = Math.min(labels, 0.3 * width), span = [run.start, run.end];
  const legend = run.rows.length ? 22 : 4;
  const upper = { left, top: legend, width: width - left - 14, height: height - stripHeight - legend - (run.rows.length ? 50 : 40) };
  const lower = { left, top: upper.top + upper.height + 8, width: upper.width, height: stripHeight };
  const column = new Float32Array(n);
  for (let i = 0; i < n; i++) column[i] = y.data[i * columns + index];
  const range = roomy(extent(column));
  const [prefix, factor] = prefixOf(run.units[index], Math.max(...range.map(Math.abs)));
  const at = axes(context, upper, span, range.map((v) => v * factor), {
    xNumbers: run.rows.length === 0, xName: "t / s", yName: axisText(run.names[index], prefix + run.units[index]),
  });
  const jumpsAt = new Set(jumps.data);
  within(context, upper, () => {
    context.strokeStyle = CURVE;
    context.lineWidth = 1.1;
    context.beginPath();
    for (let i = 0; i < n; i++) {
      const place = [at.x(t.data[i]), at.y(column[i] * factor)];
      if (i === 0 || jumpsAt.has(i)) context.moveTo(...place);
      else context.lineTo(...place);
    }
    context.stroke();
  });
  if (run.rows.length) {
    for (let k = 0; k < bars.shape[0]; k++) {
      const [row, from, to, color, bottom, size] = bars.data.subarray(6 * k, 6 * k + 6);
      context.fillStyle = run.colors[color];
      const top = lower.top + rowHeight * (row + 1 - bottom - size);
      context.fillRect(at.x(from), top, Math.max(at.x(to) - at.x(from), 0.5), rowHeight * size);
    }
    context.strokeStyle = "#000000";
    context.lineWidth = impacts.shape[0] > 300 ? 0.4 : 1;
    context.beginPath();
    for (let k = 0; k < impacts.shape[0]; k++) {
      const x = at.x(impacts.data[2 * k]), top = lower.top + rowHeight * impacts.data[2 * k + 1];
      context.moveTo(x, top + 0.05 * rowHeight);
      context.lineTo(x, top + 0.95 * rowHeight);
    }
    context.stroke();
    axes(context, lower, span, [0, 1], { xName: "t / s", yNumbers: false });
    context.fillStyle = INK;
    context.textAlign = "right";
    run.rows.forEach((row, k) => context.fillText(row, left - 8, lower.top + rowHeight * (k + 0.5)));
    drawLegend(context, width - 14, run.legend);
  }
  if (time != null) {
    context.strokeStyle = "#0072B2";
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(at.x(time), upper.top);
    context.lineTo(at.x(time), upper.top + upper.height + (run.rows.length ? 8 + stripHeight : 0));
    context.stroke();
  }
  return { left, width: upper.width };
}

/** Draw the colours of states and the mark of impacts, from the right. */
function drawLegend(context, right, legend) {
  context.textAlign = "left";
  let x = right;
  for (const [label, color] of [...legend, ["impact", null]].reverse()) {
    x -= context.measureText(label).width;
    context.fillStyle = INK;
    context.fillText(label, x, 10);
    x -= 16;
    context.fillStyle = color || "#000000";
    context.fillRect(color ? x : x + 5, color ? 5 : 4, color ? 12 : 1, color ? 10 : 12);
    x -= 12;
  }
}

/** Create rows of text; a click on one calls `onClick(time)`. */
function fillTable(table, header, rows, onClick) {
  const head = make("tr", {}, ...header.map((text) => make("th", { textContent: text })));
  const body = rows.map((row) => {
    const line = make("tr", {}, ...row.map((text) => make("td", { textContent: text })));
    if (onClick) line.addEventListener("click", () => onClick(Number(row[0])));
    return line;
  });
  table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
}

function choose(names, chosen, label, onChange) {
  const list = make("select", { "aria-label": label, title: label });
  names.forEach((name, k) => list.append(make("option", { value: String(k), textContent: name, selected: k === chosen })));
  list.addEventListener("change", () => onChange(Number(list.value)));
  return list;
}

/** Copy a text to the clipboard if the page is allowed to, and show it in any case. */
function showText(holder, text) {
  const area = make("textarea", { class: "nsmb-code", readOnly: true, value: text, rows: Math.min(text.split("\n").length, 14) });
  const close = make("button", { textContent: "close", onclick: () => holder.replaceChildren() });
  holder.replaceChildren(area, close);
  area.select();
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
}

/** Use one column on narrow pages. */
function watchWidth(root) {
  new ResizeObserver(() => root.classList.toggle("nsmb-narrow", root.clientWidth < 760)).observe(root);
}
