// The page of nsmb.explore: sliders, the animated scene, phase portrait, states, events, energy.

const SPEEDS = [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001];
const PLAYBACK = 8; // playback time of a run by default, s
const EDGE = "#333333", GROUND = "#EFEFEF", HATCH = "#9A9A9A";

function render({ model, el }) {
  const spec = model.get("_spec");
  const page = { run: null, time: 0, values: {}, playing: false, sent: 0, shown: 0, busySince: 0, timer: 0 };
  const names = Object.keys(spec.knobs);

  // ---- sliders
  const holder = make("div", { class: "nsmb-knobs" });
  const setters = {};
  for (const group of [["parameter", "parameters"], ["start", "start"], ["run", "run"]]) {
    const own = names.filter((name) => spec.knobs[name].group === group[0]);
    if (own.length) holder.append(make("h4", { textContent: group[1] }));
    for (const name of own) holder.append(knobOf(spec.knobs[name], name));
  }

  function knobOf(knob, name) {
    const unit = knob.unit && knob.unit !== "-" ? knob.unit : "";
    const title = [knob.meaning, unit && `in ${unit}`].filter(Boolean).join(", ");
    page.values[name] = knob.value;
    const label = make("label", { title, textContent: name }, make("span", { textContent: unit ? ` / ${unit}` : "" }));
    if (knob.kind === "choice") {
      const list = choose(knob.choices, knob.value, name, (k) => turn(name, k));
      list.dataset.knob = name;
      setters[name] = (value) => { list.value = String(value); };
      return make("div", { class: "nsmb-knob", title }, label, list);
    }
    const whole = knob.kind === "whole";
    const slider = make("input", { type: "range", min: "0", max: "1000", step: "1", title });
    if (whole) Object.assign(slider, { min: String(knob.low), max: String(knob.high) });
    const box = make("input", { type: "text", class: "nsmb-number", inputMode: "decimal", title });
    slider.dataset.knob = name;
    box.dataset.number = name;
    slider.setAttribute("aria-label", name);
    box.setAttribute("aria-label", `${name}, typed`);
    const show = (value, typed) => {
      if (!typed) slider.value = String(whole ? value : Math.round((1000 * (value - knob.low)) / (knob.high - knob.low)));
      box.value = String(Number(value.toPrecision(7)));
    };
    slider.addEventListener("input", () => {
      const raw = whole ? Number(slider.value) : knob.low + ((knob.high - knob.low) * Number(slider.value)) / 1000;
      const value = Number(raw.toPrecision(5));
      show(value, true);
      turn(name, value);
    });
    box.addEventListener("change", () => {
      const value = Number(box.value);
      if (!Number.isFinite(value) || box.value.trim() === "") return show(page.values[name]);
      show(value);
      turn(name, value);
    });
    setters[name] = (value) => show(value);
    show(knob.value);
    return make("div", { class: "nsmb-knob", title }, label, slider, box);
  }

  function turn(name, value) {
    page.values[name] = value;
    ask();
  }

  /** Request a run. During a run, a newer request waits a moment and then replaces it. */
  function ask() {
    clearTimeout(page.timer);
    page.timer = 0;
    const since = Date.now() - page.busySince;
    if (page.sent > page.shown && since < 150) {
      page.timer = setTimeout(ask, 150 - since);
      return;
    }
    page.sent += 1;
    page.busySince = Date.now();
    root.classList.add("nsmb-busy");
    model.send({ type: "set", id: page.sent, values: page.values });
  }

  const reset = make("button", { textContent: "reset", title: "Reset all parameters" });
  reset.addEventListener("click", () => {
    for (const name of names) {
      page.values[name] = spec.knobs[name].value;
      setters[name](page.values[name]);
    }
    ask();
  });
  const copy = make("button", { textContent: "copy as Python", title: "the program that makes this run" });
  copy.addEventListener("click", () => model.send({ type: "script" }));
  const buttons = make("div", { class: "nsmb-buttons" }, reset, copy);

  // ---- figures
  const scene = canvasOf("scene", (context, width, height) => page.run && drawScene(context, width, height, page));
  const portrait = canvasOf("portrait", (context, width, height) => {
    if (page.run) drawPortrait(context, width, height, page.run, page.x, page.y, sampleAt(page.time));
  });
  const strip = canvasOf("strip", (context, width, height) => {
    if (page.run) page.stripBox = drawStrip(context, width, height, page.run, page.x, page.time);
  });
  const paint = () => { scene.paint(); portrait.paint(); strip.paint(); };

  function sampleAt(time) {
    const t = page.run.arrays.t.data;
    let low = 0, high = t.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (t[middle] <= time) low = middle; else high = middle - 1; }
    return low;
  }

  function goTo(time) {
    page.time = Math.min(Math.max(time, page.run.start), page.run.end);
    clock.value = String(Math.round((1000 * (page.time - page.run.start)) / (page.run.end - page.run.start)));
    clockText.textContent = `t = ${page.time.toFixed(Math.max(0, 4 - Math.ceil(Math.log10(page.run.end - page.run.start))))} s`;
    paint();
  }

  // ---- time
  const play = make("button", { class: "nsmb-play", textContent: "▶", title: "play", "aria-label": "play" });
  const clock = make("input", { type: "range", min: "0", max: "1000", step: "1", value: "0", class: "nsmb-clock", "aria-label": "time" });
  const clockText = make("span", { class: "nsmb-time" });
  const speed = choose(SPEEDS.map((s) => (s >= 1 ? `× ${s}` : `÷ ${Math.round(1 / s)}`)), 3, "speed of playback", (k) => { page.speed = SPEEDS[k]; });
  const follow = make("input", { type: "checkbox" });
  const followText = make("label", { class: "nsmb-follow", title: "the view stays beside this body" }, follow, make("span"));
  follow.addEventListener("change", () => { page.follows = follow.checked; paint(); });
  clock.addEventListener("input", () => page.run && goTo(page.run.start + (Number(clock.value) / 1000) * (page.run.end - page.run.start)));
  play.addEventListener("click", () => {
    page.playing = !page.playing;
    play.textContent = page.playing ? "❚❚" : "▶";
    if (page.playing) {
      if (page.time >= page.run.end) page.time = page.run.start;
      page.last = performance.now();
      requestAnimationFrame(tick);
    }
  });
  function tick(now) {
    if (!page.playing || !root.isConnected) return;
    const time = page.time + ((now - page.last) / 1000) * page.speed;
    page.last = now;
    goTo(time >= page.run.end ? page.run.start : time);
    requestAnimationFrame(tick);
  }
  strip.canvas.addEventListener("click", (event) => {
    if (!page.stripBox) return;
    const part = (event.offsetX - page.stripBox.left) / page.stripBox.width;
    goTo(page.run.start + part * (page.run.end - page.run.start));
  });

  // ---- messages and tables
  const events = make("table", { class: "nsmb-events" }), energy = make("table", { class: "nsmb-energy" });
  const message = make("div", { class: "nsmb-message", "aria-live": "polite" });
  const code = make("div", { class: "nsmb-script" });
  const counts = make("span", { class: "nsmb-counts" });
  const choices = make("div", { class: "nsmb-choices" });
  const title = make("h3", { textContent: spec.title });

  const root = make("div", { class: "nsmb-explorer nsmb-system" },
    make("div", { class: "nsmb-side" }, title, holder, buttons),
    make("div", { class: "nsmb-scene" }, scene.canvas,
      make("div", { class: "nsmb-player" }, play, clock, clockText, speed, followText)),
    make("div", { class: "nsmb-portrait" }, choices, portrait.canvas),
    make("div", { class: "nsmb-strip" }, strip.canvas),
    make("div", { class: "nsmb-list" }, counts, make("div", { class: "nsmb-scroll" }, events)),
    make("div", { class: "nsmb-sums" }, energy),
    make("div", { class: "nsmb-foot" }, message, code));
  el.replaceChildren(root);
  watchWidth(root);

  function take() {
    const header = model.get("_header"), data = model.get("_data");
    if (header.id !== undefined) {
      page.shown = Math.max(page.shown, header.id);
      for (const [name, value] of Object.entries(header.values)) {
        if (page.sent <= header.id && !page.timer) { page.values[name] = value; setters[name](value); }
      }
    }
    if (page.shown >= page.sent) {
      if (page.timer) ask();
      else root.classList.remove("nsmb-busy");
    }
    message.textContent = header.message || "";
    message.classList.toggle("nsmb-wrong", !header.current);
    root.dataset.shown = String(page.shown);
    if (!header.run || !data || data.byteLength === 0) return;
    const first = page.run === null, before = page.run;
    if (before && before.id === header.run.id) return;
    page.run = { ...header.run, arrays: unpack(header.arrays, data) };
    const run = page.run;
    if (first || page.x >= run.names.length || page.y >= run.names.length) {
      [page.x, page.y] = run.portrait;
      page.speed = SPEEDS.find((s) => (run.end - run.start) / s >= PLAYBACK) || SPEEDS[SPEEDS.length - 1];
      speed.value = String(SPEEDS.indexOf(page.speed));
      page.follows = run.film ? run.film.follows : false;
      follow.checked = page.follows;
      choices.replaceChildren(
        "phase portrait", choose(run.names, page.y, "upwards", (k) => { page.y = k; paint(); }),
        "over", choose(run.names, page.x, "to the right, and over time", (k) => { page.x = k; paint(); }));
    }
    root.classList.toggle("nsmb-no-scene", !run.film);
    followText.style.display = run.film && run.film.followed ? "" : "none";
    followText.lastChild.textContent = run.film ? `follow ${run.film.followed}` : "";
    fillTable(events, run.events.header, run.events.rows, (time) => goTo(time));
    counts.textContent = run.events.text;
    energy.replaceChildren(...run.energy.map(([name, value]) => make("tr", {}, make("th", { textContent: name }), make("td", { textContent: value }))));
    root.dataset.run = String(run.id);
    goTo(first ? run.start : page.time);
  }
  model.on("change:_header", take);
  model.on("msg:custom", (reply) => { if (reply.type === "script") showText(code, reply.text); });
  take();
  return () => { page.playing = false; };
}

/** Draw the scene at page.time, interpolated between two frames of the animation. */
function drawScene(context, width, height, page) {
  const { film, arrays, start, end } = page.run;
  if (!film) return;
  const frames = arrays.film_t.data.length;
  const place = Math.min(Math.max(((page.time - start) / (end - start)) * (frames - 1), 0), frames - 1);
  const k = Math.min(Math.floor(place), frames - 2), part = place - k;
  const between = (array, index) => {
    const size = array.data.length / frames, at = k * size + index;
    return (1 - part) * array.data[at] + part * array.data[at + size];
  };
  const { points, springs, joints, contacts, states } = arrays;
  const view = page.follows ? film.follow_view : film.view;
  let shift = [0, 0];
  if (page.follows) {
    const own = film.parts.filter((p) => p.body === film.followed);
    let count = 0;
    for (const p of own) {
      for (let i = p.first; i < p.first + p.length; i++, count++) {
        shift = [shift[0] + between(points, 2 * i), shift[1] + between(points, 2 * i + 1)];
      }
    }
    shift = shift.map((sum) => sum / count);
  }
  const box = { left: 62, top: 8, width: width - 70, height: height - 46 };
  const scale = Math.min(box.width / (view[1] - view[0]), box.height / (view[3] - view[2]));
  const middle = [(view[0] + view[1]) / 2 + shift[0], (view[2] + view[3]) / 2 + shift[1]];
  const xRange = [middle[0] - box.width / 2 / scale, middle[0] + box.width / 2 / scale];
  const yRange = [middle[1] - box.height / 2 / scale, middle[1] + box.height / 2 / scale];
  const [prefix, factor] = prefixOf("m", Math.max(xRange[1] - xRange[0], yRange[1] - yRange[0]));
  const at = axes(context, box, xRange.map((v) => v * factor), yRange.map((v) => v * factor), {
    xName: `${film.names[0]} / ${prefix}m`, yName: `${film.names[1]} / ${prefix}m`,
  });
  const pixel = (array, index) => [at.x(between(array, index) * factor), at.y(between(array, index + 1) * factor)];
  const size = Math.max(view[1] - view[0], view[3] - view[2]) * scale;
  within(context, box, () => {
    const bodies = [...new Set(film.parts.map((p) => p.body))];
    const order = [...bodies.filter((b) => film.parts.find((p) => p.body === b).ground), ...bodies.filter((b) => !film.parts.find((p) => p.body === b).ground)];
    for (const body of order) drawBody(context, film, body, (i) => pixel(points, 2 * i), size);
    context.lineWidth = 1.2;
    context.strokeStyle = "#555555";
    for (let s = 0; s < springs.shape[1]; s++) drawSpring(context, pixel(springs, 4 * s), pixel(springs, 4 * s + 2), 0.02 * size);
    for (let j = 0; j < joints.shape[1]; j++) dot(context, pixel(joints, 2 * j), 3, "#FFFFFF");
    for (let c = 0; c < contacts.shape[1]; c++) {
      const state = states.data[k * states.shape[1] + c], color = film.colors[state];
      const where = pixel(contacts, 2 * c);
      if (color && Number.isFinite(where[0])) dot(context, where, 5, color);
    }
  });
}

function drawBody(context, film, body, pixel, size) {
  const parts = film.parts.filter((p) => p.body === body), ground = parts[0].ground;
  context.beginPath();
  for (const p of parts.filter((q) => q.closed)) {
    for (let i = 0; i < p.length; i++) context[i ? "lineTo" : "moveTo"](...pixel(p.first + i));
    context.closePath();
  }
  context.fillStyle = ground ? GROUND : parts[0].color;
  context.fill("evenodd");
  if (ground) { context.fillStyle = hatch(context); context.fill("evenodd"); }
  context.strokeStyle = ground ? HATCH : EDGE;
  context.lineWidth = ground ? 0.8 : 1.2;
  context.stroke();
  for (const p of parts.filter((q) => !q.closed)) {
    const line = Array.from({ length: p.length }, (_, i) => pixel(p.first + i));
    if (ground && line.length > 1) drawBand(context, line, 0.035 * size);
    context.strokeStyle = EDGE;
    context.lineWidth = 1.6;
    context.beginPath();
    line.forEach((place, i) => context[i ? "lineTo" : "moveTo"](...place));
    context.stroke();
    if (line.length === 1) dot(context, line[0], 2, EDGE);
  }
}

/** Draw hatched ground on the left of a line. */
function drawBand(context, line, width) {
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b] = [line[i], line[i + 1]], length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 0)) continue;
    const n = [((b[1] - a[1]) / length) * width, (-(b[0] - a[0]) / length) * width];
    context.beginPath();
    for (const place of [a, b, [b[0] + n[0], b[1] + n[1]], [a[0] + n[0], a[1] + n[1]]]) context.lineTo(...place);
    context.fillStyle = GROUND;
    context.fill();
    context.fillStyle = hatch(context);
    context.fill();
  }
}

let hatching = null;
function hatch(context) {
  if (!hatching) {
    const tile = make("canvas", { width: 8, height: 8 }), pen = tile.getContext("2d");
    pen.strokeStyle = HATCH;
    pen.lineWidth = 0.8;
    for (const c of [-8, 0, 8]) { pen.moveTo(c, 8); pen.lineTo(c + 8, 0); }
    pen.stroke();
    hatching = context.createPattern(tile, "repeat");
  }
  return hatching;
}

function drawSpring(context, a, b, width) {
  const along = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...along) || 1;
  const across = [(-along[1] / length) * width, (along[0] / length) * width];
  const turns = 12;
  context.beginPath();
  context.moveTo(...a);
  for (let i = 0; i <= turns; i++) {
    const s = 0.15 + (0.7 * i) / turns, side = i === 0 || i === turns ? 0 : i % 2 ? 1 : -1;
    context.lineTo(a[0] + s * along[0] + side * across[0], a[1] + s * along[1] + side * across[1]);
  }
  context.lineTo(...b);
  context.stroke();
}

function dot(context, place, radius, color) {
  context.beginPath();
  context.arc(...place, radius, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.strokeStyle = EDGE;
  context.lineWidth = 0.8;
  context.stroke();
}

export default { render };
