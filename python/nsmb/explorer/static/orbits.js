// The page of diagram.explore: a diagram, and the orbit at a point with its states and multipliers.

const KINDS = {
  "fold": "#D55E00", "period doubling": "#0072B2", "Neimark-Sacker": "#009E73", "branch point": "#CC79A7",
  "grazing": "#E69F00", "sliding": "#56B4E9", "event sequence": "#7F7F7F", "Hopf": "#009E73", "end": "#FFFFFF",
};
const CHOSEN = "#D55E00", BRANCH = "#0072B2", NEAR = 14; // pixels

function render({ model, el }) {
  const spec = model.get("_spec"), [parameterUnit, ...units] = spec.units;
  const page = { observe: spec.observe, run: null, header: null, waiting: false };

  const diagram = canvasOf("diagram", (context, width, height) => page.header && drawDiagram(context, width, height));
  const portrait = canvasOf("portrait", (context, width, height) => {
    if (page.run) drawPortrait(context, width, height, page.run, page.x, page.y, null);
    else hint(context, width, height, "click on a point of the diagram");
  });
  const strip = canvasOf("strip", (context, width, height) => page.run && drawStrip(context, width, height, page.run, page.x, null));
  const circle = canvasOf("multipliers", (context, width, height) => page.run && drawCircle(context, width, height));

  const title = make("h3", { textContent: [spec.title, `over ${spec.parameter}`].filter(Boolean).join(" ") });
  const observe = choose(spec.names, page.observe, "what is drawn", (k) => { page.observe = k; diagram.paint(); });
  const start = make("button", { textContent: "start a branch here", disabled: true, title: "follows the orbit over the parameter; unstable parts are dashed" });
  const clear = make("button", { textContent: "clear branches", disabled: true });
  const said = make("span", { class: "nsmb-counts" });
  const choices = make("div", { class: "nsmb-choices" });
  const events = make("table", { class: "nsmb-events" }), sums = make("table", { class: "nsmb-energy" });
  const counts = make("span", { class: "nsmb-counts" });
  const message = make("div", { class: "nsmb-message", "aria-live": "polite" });
  const root = make("div", { class: "nsmb-explorer nsmb-orbits" },
    make("div", { class: "nsmb-head" }, title, observe, start, clear, said),
    make("div", { class: "nsmb-diagram" }, diagram.canvas),
    make("div", { class: "nsmb-portrait" }, choices, portrait.canvas),
    make("div", { class: "nsmb-circle" }, circle.canvas),
    make("div", { class: "nsmb-strip" }, strip.canvas),
    make("div", { class: "nsmb-list" }, counts, make("div", { class: "nsmb-scroll" }, events)),
    make("div", { class: "nsmb-sums" }, sums),
    make("div", { class: "nsmb-foot" }, message));
  el.replaceChildren(root);
  watchWidth(root);

  function ask(wish, text) {
    root.classList.add("nsmb-busy");
    said.textContent = text;
    model.send(wish);
  }
  start.addEventListener("click", () => ask({ type: "branch" }, "following the orbit …"));
  clear.addEventListener("click", () => ask({ type: "clear" }, ""));

  // ---- the diagram
  function drawDiagram(context, width, height) {
    const { values, points, selected } = page.arrays;
    const [k, m, d] = points.shape, column = page.observe;
    const box = { left: 68, top: 24, width: width - 80, height: height - 66 };
    const heights = [];
    for (let i = 0; i < k * m; i++) { const v = points.data[i * d + column]; if (Number.isFinite(v)) heights.push(v); }
    const xRange = roomy(extent(values.data), 0.02);
    let yLimits = extent(heights);
    page.header.branches.forEach((_, b) => {
      const lines = page.arrays[`branch_${b}`], width_ = lines.shape[1];
      const own = [];
      for (let i = 0; i < lines.shape[0]; i++) { const v = lines.data[i * width_ + 3 + column]; if (Number.isFinite(v)) own.push(v); }
      const [low, high] = own.length ? extent(own) : yLimits;
      const reach = yLimits[1] - yLimits[0]; // limits branches, so that the diagram stays readable
      yLimits = [Math.max(Math.min(yLimits[0], low), yLimits[0] - reach), Math.min(Math.max(yLimits[1], high), yLimits[1] + reach)];
    });
    const yRange = roomy(yLimits);
    const [prefix, factor] = prefixOf(units[column] || "", Math.max(...yRange.map(Math.abs)));
    const at = axes(context, box, xRange, yRange.map((v) => v * factor), {
      xName: axisText(spec.parameter, parameterUnit), yName: axisText(spec.names[column], prefix + (units[column] || "")),
    });
    const targets = [];
    within(context, box, () => {
      const size = k * m > 20000 ? 1 : k * m > 4000 ? 1.5 : 2.5;
      context.fillStyle = "#000000";
      for (let i = 0; i < k; i++) {
        const x = at.x(values.data[i]);
        for (let j = 0; j < m; j++) {
          const v = points.data[(i * m + j) * d + column];
          if (!Number.isFinite(v)) continue;
          const y = at.y(v * factor);
          context.fillRect(x - size / 2, y - size / 2, size, size);
          targets.push([x, y, { type: "click", row: i }]);
        }
      }
      page.header.branches.forEach((special, b) => drawBranch(context, at, factor, b, special, targets));
      if (selected) {
        const x = at.x(page.header.selected.value);
        context.strokeStyle = CHOSEN;
        context.lineWidth = 1.8;
        for (let i = 0; i < selected.shape[0]; i++) {
          context.beginPath();
          context.arc(x, at.y(selected.data[i * d + column] * factor), 6, 0, 2 * Math.PI);
          context.stroke();
        }
      }
    });
    page.targets = targets;
    const kinds = [...new Set(page.header.branches.flat().map((point) => point.kind))];
    let x = box.left;
    context.textAlign = "left";
    if (page.header.branches.length) {
      for (const [text, dash] of [["stable", []], ["unstable", [4, 3]]]) {
        context.strokeStyle = BRANCH;
        context.lineWidth = 1.6;
        context.setLineDash(dash);
        context.beginPath(); context.moveTo(x, 11); context.lineTo(x + 22, 11); context.stroke();
        context.setLineDash([]);
        context.fillStyle = INK;
        context.fillText(text, x + 27, 11);
        x += 40 + context.measureText(text).width;
      }
    }
    for (const kind of kinds) {
      disc(context, x + 4, 11, 4, KINDS[kind] || "#000000");
      context.fillStyle = INK;
      context.fillText(kind, x + 12, 11);
      x += 26 + context.measureText(kind).width;
    }
  }

  function drawBranch(context, at, factor, b, special, targets) {
    const lines = page.arrays[`branch_${b}`], n = lines.shape[0], wide = lines.shape[1], column = 3 + page.observe;
    context.strokeStyle = BRANCH;
    context.lineWidth = 2;
    for (let i = 0; i + 1 < n; i++) {
      const a = lines.data.subarray(i * wide, (i + 1) * wide), c = lines.data.subarray((i + 1) * wide, (i + 2) * wide);
      if (!Number.isFinite(a[0])) continue;
      const place = [at.x(a[0]), at.y(a[column] * factor)];
      targets.push([...place, { type: "click_branch", branch: b, index: a[2] }]);
      if (!Number.isFinite(c[0])) continue;
      context.setLineDash(a[1] && c[1] ? [] : [4, 3]);
      context.beginPath();
      context.moveTo(...place);
      context.lineTo(at.x(c[0]), at.y(c[column] * factor));
      context.stroke();
    }
    context.setLineDash([]);
    for (const point of special) {
      for (const row of point.heights) disc(context, at.x(point.value), at.y(row[page.observe] * factor), 4, KINDS[point.kind] || "#000000");
    }
  }

  diagram.canvas.addEventListener("click", (event) => {
    let nearest = null, least = NEAR * NEAR;
    for (const [x, y, wish] of page.targets || []) {
      const distance = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
      if (distance < least || (distance === least && wish.type === "click_branch")) [nearest, least] = [wish, distance];
    }
    if (nearest) ask(nearest, "looking for the orbit …");
  });

  // ---- multipliers
  function drawCircle(context, width, height) {
    const { multipliers } = page.arrays, { kinds, multipliers: texts } = page.header.selected;
    const n = multipliers.shape[0], side = Math.min(width - 52, height - 46);
    const largest = Math.max(1, ...multipliers.data.map(Math.abs));
    const reach = 1.2 * Math.min(largest, 3), left = Math.max((width - side) / 2, 42);
    const box = { left, top: 22, width: side, height: side };
    const at = axes(context, box, [-reach, reach], [-reach, reach], {});
    context.fillStyle = INK;
    context.textAlign = "center";
    context.fillText("multipliers Λ", width / 2, 8);
    within(context, box, () => {
      context.strokeStyle = GREY;
      context.beginPath();
      context.arc(at.x(0), at.y(0), at.x(1) - at.x(0), 0, 2 * Math.PI);
      context.stroke();
      for (let i = 0; i < n; i++) {
        const re = multipliers.data[2 * i], im = multipliers.data[2 * i + 1];
        disc(context, at.x(re), at.y(im), 5, kinds[i] ? "rgba(255,255,255,0.2)" : Math.hypot(re, im) > 1 + 1e-6 ? CHOSEN : BRANCH);
      }
    });
    const outside = texts.filter((_, i) => Math.hypot(multipliers.data[2 * i], multipliers.data[2 * i + 1]) > reach).length;
    context.fillStyle = INK;
    if (outside) context.fillText(`${outside} outside the figure`, width / 2, height - 8);
    else if (n === 0) context.fillText("no orbit, no multipliers", width / 2, height / 2);
  }

  function take() {
    const header = model.get("_header"), data = model.get("_data");
    if (!header.arrays || !data || data.byteLength === 0) return;
    page.header = header;
    page.arrays = unpack(header.arrays, data);
    root.classList.remove("nsmb-busy");
    message.textContent = header.message;
    message.classList.toggle("nsmb-wrong", /^\w+Error:/.test(header.message));
    clear.disabled = header.branches.length === 0;
    start.disabled = !(header.selected && header.selected.orbit);
    said.textContent = "";
    if (header.run) {
      const first = page.run === null;
      page.run = { ...header.run, arrays: page.arrays };
      if (first) {
        [page.x, page.y] = page.run.portrait;
        choices.replaceChildren(
          "phase portrait", choose(page.run.names, page.y, "upwards", (k) => { page.y = k; paint(); }),
          "over", choose(page.run.names, page.x, "to the right, and over time", (k) => { page.x = k; paint(); }));
      }
      const { value, lines, multipliers } = header.selected;
      said.textContent = `${spec.parameter} = ${numberText(value, 7)}: ${header.selected.stability}`;
      fillTable(events, page.run.events.header, page.run.events.rows, null);
      counts.textContent = page.run.events.text;
      sums.replaceChildren(
        ...lines.map(([name, text]) => make("tr", {}, make("th", { textContent: name }), make("td", { colSpan: 2, textContent: text, class: "nsmb-wide" }))),
        ...multipliers.map(([number, size, kind], i) => make("tr", {}, make("th", { textContent: i ? "" : "multipliers" }), make("td", { textContent: number }), make("td", { textContent: kind ? `${size} (${kind})` : size }))));
    }
    root.dataset.shown = String(header.id);
    root.dataset.selected = header.selected ? String(header.selected.value) : "";
    root.dataset.branches = String(header.branches.length);
    paint();
  }
  const paint = () => { diagram.paint(); portrait.paint(); strip.paint(); circle.paint(); };
  model.on("change:_header", take);
  take();
}

function disc(context, x, y, radius, color) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.strokeStyle = INK;
  context.lineWidth = 0.8;
  context.stroke();
}

function hint(context, width, height, text) {
  context.fillStyle = GREY;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, width / 2, height / 2);
}

export default { render };
