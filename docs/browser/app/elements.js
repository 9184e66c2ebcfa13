/** Create an element with attributes, listeners (`on...`) and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Format a number with the decimals of the step of its slider. */
export function withDecimals(value, step) {
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** Create a symbol of a formula, `v_B` with its subscript. */
export function symbolElement(symbol) {
  const [letter, index] = symbol.split("_");
  const made = element("i", {}, letter);
  if (index) made.append(element("sub", {}, index));
  return made;
}
