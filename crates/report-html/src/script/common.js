// What all verdicts have in common.

function heading(page, source) {
  const report = page.report;
  const by = [report.engine, seconds(report.stats.seconds), "Threadwise " + report.version];
  return h("header", { class: "verdict" },
    h("h1", {}, badge(report.verdict), " ", h("span", { class: "title" }, page.title)),
    report.reason ? h("p", { class: "reason" }, source.linked(report.reason)) : null,
    h("p", { class: "by" }, by.join(" · ")));
}

/** One row for each property. */
function properties(page, source) {
  const report = page.report;
  const rows = report.properties.length
    ? report.properties.map((answer) => [answer.property, answer.verdict, answer.reason || "", answer.engine + ", " + seconds(answer.seconds)])
    : page.proved.map((line) => [line, report.verdict, "", ""]);
  // The header says it of a single one that is violated.
  if (!rows.length || (rows.length === 1 && page.walk)) return null;
  return panel("Properties", h("table", { class: "plain" }, h("tbody", {}, rows.map(([name, verdict, why, by]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, badge(verdict)), h("td", {}, source.linked(why)), h("td", { class: "quiet" }, by))))));
}

function assumed(page) {
  return page.report.assumed.length ? panel("Assumed", page.report.assumed.map((line) => h("p", {}, line))) : null;
}

function panel(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), children);
}

function attempts(page, source) {
  const rows = page.report.attempts;
  if (rows.length < 2) return null;
  return panel("Engines", h("table", { class: "plain" }, h("tbody", {}, rows.map((row) =>
    h("tr", {}, h("th", { scope: "row" }, row.engine), h("td", {}, badge(row.verdict)),
      h("td", {}, source.linked(row.reason || "")), h("td", { class: "quiet" }, seconds(row.seconds)))))));
}

function numbers(page) {
  const stats = Object.entries(page.report.stats).filter(([name]) => name !== "seconds" && name !== "peak_memory_bytes");
  if (!stats.length) return null;
  const rows = stats.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")), h("td", { class: "value" }, value.toLocaleString("en"))));
  return h("details", { class: "panel" }, h("summary", {}, "Numbers"), h("table", { class: "plain" }, h("tbody", {}, rows)));
}

/** Buttons of which any may be pressed. */
function toggles(label, names, changed) {
  const pressed = names.map(() => true);
  const buttons = names.map((name, index) => h("button", {
    type: "button", class: "toggle", "aria-pressed": "true", style: hue(index), onclick: (event) => {
      pressed[index] = !pressed[index];
      event.currentTarget.setAttribute("aria-pressed", String(pressed[index]));
      changed(index, pressed[index]);
    },
  }, name));
  return h("div", { class: "toggles", role: "group", "aria-label": label }, buttons);
}

const hue = (thread) => "--hue:" + ((thread * 137.5 + 215) % 360).toFixed(0);
