// Source text.

const keywords = {
  tw: "const type enum shared init thread proc returns invariant never norace nodeadlock rely guarantee abstract var skip assert assume await acquire release acquire_read acquire_write release_read release_write action atomic if else while loop break continue choose or for goto return true false self none forall exists in subset union inter minus bool int mutex rwlock tid set",
  ts: "shared thread init error exceptions",
  c: "_Atomic _Bool _Generic _Noreturn _Static_assert _Thread_local auto bool break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while NULL true false",
  java: "abstract assert boolean break byte case catch char class continue default do double else enum extends final finally float for if implements import instanceof int interface long native new null package private protected public return short static super switch synchronized this throw throws transient try true false var void volatile while",
};

/** The lines of a file as rows of coloured text. Comments may go on over several lines. */
function colouring(language) {
  const words = new Set((keywords[language] || keywords.c).split(" "));
  let comment = false;
  // In the language of .tw files a single quote is a prime.
  const quotes = language === "c" || language === "java";
  const token = /\/\/.*|\/\*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|#\s*[a-z]+|[A-Za-z_][A-Za-z_0-9]*|\d[\w.]*|\s+|./gu;
  return (text) => {
    const parts = [];
    const add = (kind, part) => {
      const last = parts[parts.length - 1];
      if (last && last[0] === kind) last[1] += part; else parts.push([kind, part]);
    };
    let at = 0;
    while (at < text.length) {
      if (comment) {
        const end = text.indexOf("*/", at);
        const stop = end < 0 ? text.length : end + 2;
        add("comment", text.slice(at, stop));
        comment = end < 0;
        at = stop;
        continue;
      }
      token.lastIndex = at;
      const found = token.exec(text)[0];
      if (found === "/*") { comment = true; continue; }
      if (found.startsWith("//")) add("comment", found);
      else if (found.startsWith("'") && !quotes) { add("", "'"); at += 1; continue; }
      else if (/^["']/.test(found)) add("string", found);
      else if (/^\d/.test(found)) add("literal", found);
      else if (words.has(found) || (found.startsWith("#") && language === "c")) add("keyword", found);
      else add("", found);
      at += found.length;
    }
    return parts.map(([kind, part]) => (kind ? h("span", { class: kind }, part) : part));
  };
}

/** Text in which what stands between backquotes is code. */
const worded = (text) => text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? h("code", {}, part) : part));

/** The source of a page: its rows by file and line. */
class Source {
  constructor(page) {
    this.rows = new Map();
    this.page = page;
    this.element = h("div", { class: "source-files" }, page.files.map((file, index) => this.file(file, index)));
  }

  file(file, index) {
    const colour = colouring(this.page.language);
    const texts = file.text.split("\n");
    if (texts.length > 1 && texts[texts.length - 1] === "") texts.pop();
    const rows = texts.map((text, at) => {
      const number = file.numbers ? file.numbers[at] : at + 1;
      const row = {
        marks: h("td", { class: "marks" }),
        code: h("td", { class: "code" }, h("code", {}, colour(text))),
        note: h("td", { class: "note" }),
      };
      const link = h("a", { href: "#line=" + (index ? index + ":" : "") + number, "aria-label": "line " + number }, String(number));
      row.element = h("tr", { id: "line-" + index + "-" + number }, this.page.walk ? row.marks : null, h("td", { class: "number" }, link), row.code, row.note);
      this.rows.set(file.name + ":" + number, row);
      return row.element;
    });
    return h("section", { class: "file" },
      h("h2", {}, file.name),
      h("table", { class: "code-table", "aria-label": "source text: " + (this.page.walk ? "threads that are here, " : "") + "line, text, what holds" },
        h("colgroup", {}, (this.page.walk ? ["marks"] : []).concat(["number", "code", "note"]).map((name) => h("col", { class: name }))),
        h("tbody", {}, rows)));
  }

  row(place) { return place && this.rows.get(place.file + ":" + place.line); }

  /** Brings a line into view without moving anything else. */
  reveal(place) {
    const row = this.row(place);
    if (!row) return;
    const box = this.element.getBoundingClientRect(), line = row.element.getBoundingClientRect();
    const scrolls = this.element.scrollHeight > this.element.clientHeight + 1;
    if (!scrolls) { if (line.top < 0 || line.bottom > innerHeight) row.element.scrollIntoView({ block: "center" }); return; }
    if (line.top < box.top + 40 || line.bottom > box.bottom - 20) {
      this.element.scrollTop += line.top - box.top - this.element.clientHeight / 2;
    }
  }

  link(place, text) {
    if (!this.row(place)) return h("span", { class: "place" }, text);
    const index = this.page.files.findIndex((file) => file.name === place.file);
    return h("a", { class: "place", href: "#line=" + (index ? index + ":" : "") + place.line }, text);
  }

  /** A place in few words. */
  brief(place) {
    const at = place.line + ":" + place.column;
    return this.page.files.length > 1 ? place.file.split("/").pop() + ":" + at : at;
  }

  /** Text in which places of the source are links, "a.tw:12:3", or "12:3" where there is one file; and `code` is code. */
  linked(text) {
    const names = this.page.files.map((file) => file.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp("(?:(" + names.join("|") + "):)?\\b(\\d+):(\\d+)\\b", "g");
    const parts = [];
    let at = 0;
    for (const found of text.matchAll(pattern)) {
      const file = found[1] || (this.page.files.length === 1 ? this.page.files[0].name : null);
      const place = { file, line: Number(found[2]) };
      if (!this.row(place)) continue;
      parts.push(worded(text.slice(at, found.index)), this.link(place, found[0]));
      at = found.index + found[0].length;
    }
    return [...parts, worded(text.slice(at))];
  }

  /** Marks the line that the address names. */
  follow(hash) {
    const found = /^#line=(?:(\d+):)?(\d+)$/.exec(hash);
    this.element.querySelectorAll(".asked").forEach((row) => row.classList.remove("asked"));
    const file = found && this.page.files[Number(found[1] || 0)];
    const row = file && this.rows.get(file.name + ":" + found[2]);
    if (!row) return;
    row.element.classList.add("asked");
    this.reveal({ file: file.name, line: Number(found[2]) });
  }
}
