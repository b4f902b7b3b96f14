// UNSAFE: a trace.

/** More lanes than this do not fit on paper beside each other. */
const WIDE = 4;

/** A name for the margin: `main`, `W3` for `Worker[3]` and for `Bank.Worker#3`. */
function shortName(name) {
  const own = /[^.$]*$/.exec(name)[0] || name;
  if (own.length <= 4) return own;
  const copy = /^(.)[^[#]*[[#](\d+)]?$/.exec(own);
  return copy ? copy[1] + copy[2] : own.slice(0, 4);
}

/** Threads that are at one place, as runs of copies with neighbouring numbers: `W1` to `W14` are one mark. */
function runsOf(names, threads) {
  const numbered = (name) => /^(.*[[#])(\d+)(\]?)$/.exec(name);
  const runs = [];
  for (const thread of threads) {
    const run = runs[runs.length - 1], last = run && numbered(names[run[run.length - 1]]), here = numbered(names[thread]);
    if (last && here && last[1] === here[1] && Number(here[2]) === Number(last[2]) + 1) run.push(thread); else runs.push([thread]);
  }
  // Two of them are as short apart.
  return runs.flatMap((run) => (run.length < 3 ? run.map((thread) => [thread]) : [run]));
}

class Trace {
  constructor(page, source) {
    this.page = page;
    this.source = source;
    this.walk = page.walk;
    this.states = this.allStates();
    // The error is a row of its own, behind the last step.
    this.last = this.walk.steps.length + 1;
    this.now = 0;
    this.marked = [];
    this.hidden = new Set();
    this.live = h("p", { class: "now", "aria-live": "polite", "aria-atomic": "true" });
    this.buildLanes();
    this.buildState();
    this.element = h("div", { class: "trace" }, this.ending(), this.controls(), this.lanes, this.live, this.state);
  }

  /** The values of all variables, and where all threads are, in each state: those that stay are shared. */
  allStates() {
    let values = this.walk.variables.map(() => null);
    let places = this.walk.threads.map(() => null);
    let waits = [];
    return this.walk.moments.map((moment) => {
      if (moment.set.length) values = values.slice();
      for (const [variable, value] of moment.set) values[variable] = value;
      if (moment.at.length) places = places.slice();
      for (const [thread, place] of moment.at) places[thread] = place;
      waits = moment.waits;
      return { values, places, waits };
    });
  }

  stateAt(step) { return this.states[Math.min(step, this.states.length - 1)]; }

  ending() {
    const end = this.walk.end;
    const card = h("section", { class: "panel ending" }, h("h2", {}, end.what),
      h("p", {}, h("code", {}, end.text), " ", this.source.link(end.place, this.source.brief(end.place))));
    if (end.message) card.append(h("p", {}, "message: ", end.message));
    if (end.facts.length) card.append(h("p", {}, "where ", h("code", {}, end.facts.join(", "))));
    if (end.race) {
      card.append(h("div", { class: "race" }, end.race.map((side) => h("div", { class: "side" },
        h("p", {}, h("strong", {}, side.thread), " ", side.writes ? "writes" : "reads"),
        h("pre", {}, h("code", {}, side.text)), this.source.link(side.place, this.source.brief(side.place))))));
    }
    if (end.waiting.length) {
      card.append(h("table", { class: "plain waiting" }, h("thead", {}, h("tr", {}, ["thread", "cannot get past", "because", ""].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, end.waiting.map((waiter) => h("tr", {}, h("th", { scope: "row" }, waiter.thread), h("td", {}, h("code", {}, waiter.text)),
          h("td", {}, "it " + waiter.why), h("td", {}, this.source.link(waiter.place, this.source.brief(waiter.place))))))));
    }
    if (end.cycle.length) card.append(h("pre", { class: "cycle" }, end.cycle.join("\n")));
    return card;
  }

  controls() {
    const button = (label, text, to) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => this.go(to()) }, text);
    this.counter = h("span", { class: "counter" });
    const filter = h("input", { type: "search", placeholder: "filter variables", "aria-label": "filter variables by name",
      oninput: (event) => this.filter(event.currentTarget.value) });
    const names = this.walk.threads;
    return h("div", { class: "controls" },
      h("div", { class: "buttons", role: "group", "aria-label": "steps" },
        button("first state (Home)", "|◀", () => 0), button("previous step (←)", "◀", () => this.now - 1), this.counter,
        button("next step (→)", "▶", () => this.now + 1), button("the error (End)", "▶|", () => this.last)),
      names.length > 1 ? toggles("threads that are shown", names, (index, shown) => this.show(index, shown)) : null, filter);
  }

  buildLanes() {
    const { threads, steps, end } = this.walk;
    const cell = (step, thread, text, kind) => h("button", { type: "button", tabindex: "-1", class: "step " + kind, style: hue(thread), onclick: () => this.go(step) }, text);
    const lanes = (thread, content) => threads.map((name, lane) => h("td", { class: "lane lane-" + lane, "data-thread": name }, lane === thread ? content : null));
    const row = (step, cells, changes, classes) => h("tr", { "data-step": step, class: classes }, h("th", { scope: "row" }, h("a", { href: "#step=" + step }, step === this.last ? "✗" : String(step))), cells, h("td", { class: "changes" }, changes));
    this.rows = [row(0, threads.map((_, lane) => h("td", { class: "lane lane-" + lane })), cell0(() => this.go(0)), "start")];
    function cell0(go) { return h("button", { type: "button", tabindex: "-1", class: "step whole", onclick: go }, "the start"); }
    steps.forEach((step, index) => {
      const text = [h("code", {}, step.text), h("span", { class: "at" }, this.source.brief(step.place))];
      this.rows.push(row(index + 1, lanes(step.thread, cell(index + 1, step.thread, text, "")), step.changes.map((change) => h("code", {}, change)), "of-" + step.thread));
    });
    const wrong = this.sides().map((sides, lane) => h("td", { class: "lane lane-" + lane, "data-thread": threads[lane] }, sides.map((side) =>
      cell(this.last, lane, [h("code", {}, side.text), h("span", { class: "at" }, this.source.brief(side.place))], "wrong"))));
    this.rows.push(row(this.last, wrong, h("button", { type: "button", tabindex: "-1", class: "step whole wrong", onclick: () => this.go(this.last) }, end.what), "error"));
    this.lanes = h("div", { class: "lanes" + (threads.length > WIDE ? " many" : ""), tabindex: "0", role: "region", "aria-label": "the trace; arrow keys walk through it" },
      h("table", { class: "lane-table" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "step"), threads.map((name, lane) => h("th", { scope: "col", class: "lane lane-" + lane, style: hue(lane) }, name)), h("th", { scope: "col" }, "changes"))),
        h("tbody", {}, this.rows)));
  }

  /** For each thread the statements that have a part in the error: that which goes wrong, both of a race, all that wait. */
  sides() {
    const { threads, end } = this.walk;
    const one = end.thread === null ? [] : [{ thread: threads[end.thread], text: end.statement || end.text, place: end.place }];
    const all = [...one, ...(end.race || []), ...end.waiting];
    return threads.map((name) => all.filter((side) => side.thread === name));
  }

  buildState() {
    const { variables, threads } = this.walk;
    this.cells = [];
    const table = (owner) => {
      const rows = [];
      variables.forEach((variable, index) => {
        if (variable.thread !== owner) return;
        const cell = { name: variable.name, value: h("td", { class: "value" }), before: h("td", { class: "before" }) };
        cell.row = h("tr", {}, h("th", { scope: "row" }, variable.name), cell.value, cell.before);
        this.cells[index] = cell;
        rows.push(cell.row);
      });
      return rows.length ? h("table", { class: "plain variables" }, h("tbody", {}, rows)) : null;
    };
    const shared = table(null);
    this.cards = threads.map((name, thread) => {
      const place = h("span", { class: "where" }), note = h("p", { class: "locks" });
      const element = h("section", { class: "card card-" + thread, style: hue(thread) }, h("h3", {}, name, " ", place), note, table(thread));
      return { element, place, note };
    });
    this.state = h("div", { class: "state", tabindex: "0", role: "region", "aria-label": "values in this state" },
      shared ? h("section", { class: "card shared" }, h("h3", {}, "shared"), shared) : null, this.cards.map((card) => card.element));
  }

  /** Shows the state after so many steps. */
  go(wanted, quietly) {
    const step = Math.max(0, Math.min(this.last, wanted));
    const before = this.stateAt(Math.max(0, step - 1)), state = this.stateAt(step);
    this.rows[this.now].removeAttribute("aria-current");
    this.rows[step].setAttribute("aria-current", "step");
    this.now = step;
    this.counter.textContent = step === this.last ? "error" : "step " + step + " of " + (this.last - 1);
    this.showValues(before, state, step);
    this.showThreads(state);
    this.markLines(state, step);
    this.live.textContent = this.sentence(step);
    keepInView(this.lanes, this.rows[step], this.rows[step].querySelector(".lane .step"));
    if (!quietly) {
      try { history.replaceState(null, "", "#step=" + step); } catch { location.hash = "#step=" + step; }
    }
  }

  sentence(step) {
    if (step === 0) return "The start.";
    if (step === this.last) return "✗ " + this.walk.end.what + " at " + this.source.brief(this.walk.end.place);
    const { thread, text, place, changes } = this.walk.steps[step - 1];
    return "Step " + step + ": " + this.walk.threads[thread] + " at " + this.source.brief(place) + ": " + text + (changes.length ? " — " + changes.join(", ") : "");
  }

  showValues(before, state, step) {
    this.cells.forEach((cell, variable) => {
      const value = state.values[variable], old = before.values[variable];
      const text = value === null ? "" : value;
      if (cell.value.textContent !== text) cell.value.textContent = text;
      const changed = step > 0 && old !== value;
      if (changed !== !!cell.changed || changed) {
        cell.changed = changed;
        cell.row.classList.toggle("changed", changed);
        cell.before.textContent = changed ? (old === null ? "new" : value === null ? "gone, was " + old : "was " + old) : "";
      }
      if (cell.absent !== (value === null && !changed)) {
        cell.absent = value === null && !changed;
        cell.row.classList.toggle("absent", cell.absent);
      }
    });
  }

  showThreads(state) {
    const { variables, threads } = this.walk;
    const held = threads.map(() => []);
    variables.forEach((variable, index) => {
      const holder = variable.lock ? threads.indexOf(state.values[index]) : -1;
      if (holder >= 0) held[holder].push(variable.name);
    });
    this.cards.forEach((card, thread) => {
      const place = state.places[thread];
      card.place.replaceChildren(place ? this.source.link(place, "at line " + place.line) : "has ended");
      const wait = state.waits.find((wait) => wait.thread === thread);
      const notes = [held[thread].length ? "holds " + held[thread].join(", ") : "", wait ? "waits for " + wait.lock + ", held by " + wait.holder : ""];
      card.note.textContent = notes.filter(Boolean).join("; ");
    });
  }

  /** Marks in the margin where every thread is, and the line of the step. */
  markLines(state, step) {
    for (const { row, chip } of this.marked) { chip.remove(); row.element.classList.remove("current", "failing"); }
    this.marked = [];
    const mark = (place, text, title, style, classes) => {
      const row = this.source.row(place);
      if (!row) return;
      const chip = h("span", { class: "chip " + classes, style, title, role: "img", "aria-label": title }, text);
      row.marks.append(chip);
      this.marked.push({ row, chip });
      return row;
    };
    const names = this.walk.threads, here = new Map();
    state.places.forEach((place, thread) => {
      const row = this.hidden.has(thread) ? null : this.source.row(place);
      if (row) here.set(row, [...(here.get(row) || []), thread]);
    });
    for (const threads of here.values()) {
      for (const run of runsOf(names, threads)) {
        const [first, last] = [run[0], run[run.length - 1]];
        const text = shortName(names[first]) + (first === last ? "" : "–" + shortName(names[last]));
        const title = first === last ? names[first] + " is here" : names[first] + " to " + names[last] + " are here";
        mark(state.places[first], text, title, hue(first), "thread");
      }
    }
    const error = step === this.last;
    const places = error ? this.walk.end.places : step > 0 ? [this.walk.steps[step - 1].place] : [];
    for (const place of places) {
      const row = mark(place, error ? "✗" : "▶", error ? "the error" : "the step", "", error ? "wrong" : "taken");
      if (row) row.element.classList.add(error ? "failing" : "current");
    }
    this.source.reveal(places[0] || state.places.find(Boolean));
  }

  filter(text) {
    const words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
    this.cells.forEach((cell) => cell.row.classList.toggle("filtered", words.length > 0 && !words.some((word) => cell.name.toLowerCase().includes(word))));
  }

  show(thread, shown) {
    this.lanes.querySelectorAll(".lane-" + thread).forEach((cell) => cell.classList.toggle("filtered", !shown));
    this.rows.forEach((row) => { if (row.classList.contains("of-" + thread)) row.classList.toggle("filtered", !shown); });
    this.cards[thread].element.classList.toggle("filtered", !shown);
    if (shown) this.hidden.delete(thread); else this.hidden.add(thread);
    this.markLines(this.stateAt(this.now), this.now);
  }

  key(event) {
    const to = { ArrowRight: this.now + 1, ArrowDown: this.now + 1, ArrowLeft: this.now - 1, ArrowUp: this.now - 1, Home: 0, End: this.last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  follow(hash, quietly) {
    const found = /^#step=(\d+)$/.exec(hash);
    if (found) this.go(Number(found[1]), true);
    else if (quietly) this.go(0, true);
  }
}

/** Scrolls a box, and nothing around it, so that something inside it can be seen; to the side, so that a part of that can. */
function keepInView(box, inner, part) {
  const outer = box.getBoundingClientRect(), rect = inner.getBoundingClientRect();
  const head = 30;
  if (rect.top < outer.top + head) box.scrollTop += rect.top - outer.top - head;
  else if (rect.bottom > outer.bottom) box.scrollTop += rect.bottom - outer.bottom + 4;
  const across = part && part.getBoundingClientRect();
  if (across && across.left < outer.left) box.scrollLeft += across.left - outer.left - head;
  else if (across && across.right > outer.right) box.scrollLeft += across.right - outer.right + head;
}
