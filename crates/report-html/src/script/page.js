// The page.

let trace = null, source = null;

function draw(page, above) {
  source = new Source(page);
  trace = page.walk ? new Trace(page, source) : null;
  const left = h("div", { class: "left" }, source.element);
  const verdict = page.report.verdict;
  const right = h("div", { class: "right" }, properties(page, source), assumed(page),
    trace ? trace.element : verdict === "safe" ? proof(page, source) : plan(page, source), attempts(page, source), numbers(page));
  main.replaceChildren(...[above, heading(page, source), h("div", { class: "columns " + verdict }, left, right)].filter(Boolean));
  if (trace) trace.follow(location.hash, true);
  source.follow(location.hash);
}

function comparison(compared) {
  const columns = ["engine", "verdict", "time", "memory", "work", "proof", "modular", ""];
  const rows = compared.rows.map((row, index) => h("tr", {}, h("th", { scope: "row" }, row.engine), h("td", {}, badge(row.verdict)),
    row.cells.map((cell) => h("td", { class: "value" }, cell)), h("td", {}, row.reason || ""),
    h("td", {}, data.pages[index] ? h("button", { type: "button", onclick: () => open(index) }, "open") : "–")));
  const open = (index) => {
    rows.forEach((row, at) => (at === index ? row.setAttribute("aria-current", "true") : row.removeAttribute("aria-current")));
    draw(data.pages[index], table);
  };
  const table = h("section", { class: "panel comparison" }, h("h2", {}, "Engines compared: " + compared.title),
    h("table", { class: "plain" }, h("thead", {}, h("tr", {}, columns.slice(0, 7).map((c) => h("th", { scope: "col" }, c)), h("th", { scope: "col" }, "reason"), h("th", { scope: "col" }, "report"))), h("tbody", {}, rows)));
  return { table, open };
}

const first = data.pages.findIndex(Boolean);
const compared = data.compared ? comparison(data.compared) : null;
if (compared && first >= 0) compared.open(first);
else if (compared) main.replaceChildren(compared.table);
else if (first >= 0) draw(data.pages[first], null);

addEventListener("hashchange", () => { if (trace) trace.follow(location.hash); if (source) source.follow(location.hash); });
addEventListener("keydown", (event) => {
  const inside = event.target.closest && event.target.closest("input, textarea, select");
  if (trace && !inside && !event.ctrlKey && !event.metaKey && !event.altKey) trace.key(event);
});
// For tests, which measure how long a step takes.
window.threadwise = { go: (step) => trace.go(step), last: () => (trace ? trace.last : 0) };
