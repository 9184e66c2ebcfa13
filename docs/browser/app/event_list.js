// The events of a run as a table; the most recent one is marked.

import { element } from "./elements.js";

const MOST = 400; // maximum number of rows, so that a chattering run does not slow down the page

function row(event, onPick) {
  const change = event.contacts
    .map((name, i) => [name, ...event.change[i]])
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name}: ${before} → ${after}`);
  const loss = event.kind === "impact" ? event.loss.toExponential(2) : "";
  const time = element(
    "button",
    { type: "button", onclick: () => onPick(event.t), title: "Show this instant" },
    event.t.toFixed(6),
  );
  const cells = [event.kind, event.contacts.join(", "), change.join(", "), loss];
  return element(
    "tr",
    {},
    element("td", {}, time),
    ...cells.map((text) => element("td", {}, text)),
  );
}

export class EventList {
  constructor(onPick) {
    this.onPick = onPick;
    this.body = element("tbody");
    this.caption = element("caption");
    const heads = ["t / s", "event", "contacts", "state", "loss / J"];
    const table = element(
      "table",
      {},
      this.caption,
      element(
        "thead",
        {},
        element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))),
      ),
      this.body,
    );
    this.element = element(
      "div",
      { class: "nsmb-events", tabindex: "0", role: "region", "aria-label": "Events" },
      table,
    );
  }

  show(run) {
    this.times = run.events.slice(0, MOST).map((event) => event.t);
    const counts = new Map();
    for (const { kind } of run.events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const words = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    const cut = run.events.length > MOST ? `; the first ${MOST} are listed` : "";
    this.caption.textContent = `${run.events.length} events${words && `: ${words}`}${cut}`;
    this.body.replaceChildren(
      ...run.events.slice(0, MOST).map((event) => row(event, this.onPick)),
    );
    this.current = undefined;
  }

  /** Mark the last event up to this time, and scroll the list to it. */
  mark(time) {
    let index = -1;
    while (index + 1 < this.times.length && this.times[index + 1] <= time) index += 1;
    if (index === this.current) return;
    this.body.rows[this.current]?.removeAttribute("aria-current");
    this.current = index;
    const now = this.body.rows[index];
    if (now) {
      now.setAttribute("aria-current", "true");
      const middle = now.offsetTop - this.element.clientHeight / 2;
      if (!this.element.contains(document.activeElement)) this.element.scrollTop = middle;
    } else if (!this.element.contains(document.activeElement)) {
      this.element.scrollTop = 0;
    }
  }
}
