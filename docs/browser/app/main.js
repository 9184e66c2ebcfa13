// Fill every <div class="nsmb-run" data-system="..."> of a page. The core is in a separate script
// next to this one; both can be loaded from a server and from disk.

import data from "nsmb-data";
import { Panel } from "./panel.js";
import { KINDS, Run, simulate, STATES } from "./run.js";
import { systems } from "./systems/index.js";

const here = document.currentScript.src;

function loadCore() {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("core.js", here).href;
    script.onload = () => resolve(window.createNsmb());
    script.onerror = () => reject(new Error(`could not load ${script.src}`));
    document.head.append(script);
  });
}

async function begin() {
  const places = [...document.querySelectorAll(".nsmb-run")];
  if (places.length === 0) return;
  try {
    const core = await loadCore();
    const panels = places.map((place) => {
      const name = place.dataset.system;
      const diagram = place.dataset.diagram !== "no";
      return new Panel(place, core, systems[name], data[name].parameters, { diagram });
    });
    // For use in the console, and for tests.
    window.nsmb = { core, data, KINDS, panels, Run, simulate, STATES, systems };
  } catch (error) {
    for (const place of places) {
      place.textContent = `The core does not run in this browser: ${error.message ?? error}`;
    }
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
