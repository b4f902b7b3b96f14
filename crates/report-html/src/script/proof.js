// SAFE: a proof.

function proof(page, source) {
  const report = page.report;
  const parts = [h("p", { class: "how" }, page.how)];
  const threads = [...new Set(report.annotation.map((place) => place.thread))];
  const shown = new Set(threads);
  const draw = () => annotate(page, source, shown, threads);
  if (threads.length > 1) {
    parts.push(toggles("threads whose assertions are shown", threads, (index, on) => {
      if (on) shown.add(threads[index]); else shown.delete(threads[index]);
      draw();
    }));
  }
  draw();
  const result = [panel("Proof", parts)];
  if (page.relies.length) result.push(panel("Relies and guarantees", page.relies.map((rely) => h("p", {}, h("code", {}, rely.text), " ", source.link(rely.place, source.brief(rely.place))))));
  if (page.conditions.length) result.push(h("details", { class: "panel conditions" }, h("summary", {}, "What has been checked: " + page.conditions.length + " conditions"), h("ol", {}, page.conditions.map((line) => h("li", {}, source.linked(line))))));
  const annotated = threads.length > 0 || report.unreached.length > 0;
  source.element.classList.toggle("annotated", annotated);
  const names = [...new Set(report.guarantees.map((guarantee) => guarantee.thread))];
  if (names.length) {
    result.push(panel("Guarantees", h("p", { class: "quiet" }, "The steps of each thread change the shared variables only like this."),
      names.map((name) => [h("h3", {}, name), h("table", { class: "plain guarantee" }, h("tbody", {}, report.guarantees.filter((g) => g.thread === name).map((g) =>
        h("tr", {}, h("td", {}, h("code", {}, g.guard)), h("td", {}, "→"), h("td", {}, h("code", {}, g.update))))))])));
  }
  if (report.invariant.length) result.push(products(report.invariant));
  if (report.protection.length) {
    result.push(panel("What protects each variable", h("table", { class: "plain" }, h("tbody", {}, report.protection.map((p) => h("tr", {}, h("th", { scope: "row" }, p.variable), h("td", {}, p.protection)))))));
  }
  if (page.proof_text) result.push(h("details", { class: "panel", open: !threads.length }, h("summary", {}, "The proof in words"), h("pre", { class: "words" }, source.linked(page.proof_text))));
  return result;
}

/** Writes beside each line what holds there. */
function annotate(page, source, shown, threads) {
  source.rows.forEach((row) => row.note.replaceChildren());
  for (const place of page.report.annotation) {
    const row = source.row(place);
    if (!row || !shown.has(place.thread) || place.assertion === "true") continue;
    const never = place.assertion === "false";
    const called = place.called_at.length ? ["called at ", place.called_at.join(" from ")] : [];
    const many = threads.length > 1;
    row.note.append(h("div", { class: "assertion" + (never ? " never" : ""), style: hue(threads.indexOf(place.thread)), title: place.location },
      many ? h("span", { class: "whose" }, place.thread) : null, h("code", {}, never ? "never reached" : "{ " + (place.brief || place.assertion) + " }"),
      place.brief ? h("details", { class: "exactly" }, h("summary", {}, "exactly"), h("code", {}, "{ " + place.assertion + " }")) : null,
      called.length ? h("span", { class: "quiet" }, " in ", place.routine || "", ", ", called) : null));
  }
  for (const place of page.report.unreached) {
    const row = source.row(place);
    if (!row) continue;
    row.element.classList.add("unreached");
    if (!row.note.textContent.includes("never")) row.note.append(h("div", { class: "assertion never" }, place.reached ? "never passed" : "never reached"));
  }
}

function products(stores) {
  return panel("Invariant", h("p", { class: "quiet" }, "In every reachable state the shared variables have one of these values, and the threads are as one of the lines beside it says."),
    h("table", { class: "plain products" }, h("tbody", {}, stores.map((store) => store.products.map((product, index) =>
      h("tr", { class: product.exception ? "exception" : "" },
        index === 0 ? h("th", { scope: "rowgroup", rowspan: store.products.length }, h("code", {}, store.shared)) : null,
        h("td", {}, product.exception ? h("span", { class: "mark" }, "exception") : null,
          h("ul", { class: "components" }, product.components.map((part) => h("li", {}, h("code", {}, part.threads + part.states)))))))))));
}

// UNKNOWN: a plan.

function plan(page, source) {
  const report = page.report;
  const result = [];
  if (report.details.length) result.push(panel("Why", report.details.map((line) => h("p", {}, source.linked(line)))));
  if (report.advice.length) result.push(panel("What to try", h("ol", {}, report.advice.map((line) => h("li", {}, source.linked(line))))));
  return result;
}
