// The page of a report: draws what stands in the embedded JSON, and lets its reader walk through a trace. Whatever comes from
// the program gets into the page as text, never as markup. The files of this directory are one script, in this order: base, source,
// common, trace, proof, page.

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");

/** An element. Attributes that start with "on" are listeners; children are elements or text. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const plural = (count, noun) => count + " " + noun + (count === 1 ? "" : "s");
const seconds = (s) => (s < 0.001 ? "under 1 ms" : s < 1 ? Math.round(s * 1000) + " ms" : s.toFixed(1) + " s");
const signs = { safe: "✓", unsafe: "✗", unknown: "?" };

function badge(verdict) {
  return h("span", { class: "badge " + verdict },
    h("span", { "aria-hidden": "true" }, (signs[verdict] || "") + " "), verdict.toUpperCase());
}
