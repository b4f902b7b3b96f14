// The parts of the editor that its language client touches when it runs outside of it: enough to open documents, to save them, and
// to hear what the client makes of the server's answers. What nobody asks for does nothing.
"use strict";

const path = require("node:path");
const { pathToFileURL, fileURLToPath } = require("node:url");

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }
  dispose() {
    this.listeners.clear();
  }
}

class Disposable {
  constructor(action) {
    this.action = action;
  }
  dispose() {
    this.action?.();
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(a, b, c, d) {
    this.start = typeof a === "number" ? new Position(a, b) : a;
    this.end = typeof a === "number" ? new Position(c, d) : b;
  }
}

class Uri {
  constructor(text) {
    Object.assign(this, { text, scheme: text.split(":")[0], path: decodeURIComponent(text.replace(/^file:\/\//, "")) });
    this.fsPath = text.startsWith("file:") ? fileURLToPath(text) : this.path;
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(name) {
    return new Uri(pathToFileURL(name).toString());
  }
  toString() {
    return this.text;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CancellationTokenSource {
  constructor() {
    const emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: emitter.event };
  }
  cancel() {}
  dispose() {}
}

/** Something that can be called, made and asked for anything, and does nothing. */
function nothing() {
  const target = function () {};
  return new Proxy(target, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => 0;
      if (name === Symbol.iterator) return function* () {};
      if (name === "then") return undefined;
      if (name === "prototype") return target.prototype;
      return nothing();
    },
    apply: () => new Disposable(),
    construct: () => ({}),
  });
}

const events = { open: new EventEmitter(), change: new EventEmitter(), save: new EventEmitter(), close: new EventEmitter() };
const said = { diagnostics: new Map(), panels: [], errors: [], changed: new EventEmitter(), commands: new Map(), lenses: [] };
const documents = [];

const workspace = {
  textDocuments: documents,
  workspaceFolders: undefined,
  onDidOpenTextDocument: events.open.event,
  onDidChangeTextDocument: events.change.event,
  onDidSaveTextDocument: events.save.event,
  onDidCloseTextDocument: events.close.event,
  getConfiguration: () => ({ get: (name) => workspace.settings[name], inspect: () => undefined }),
  settings: {},
  createFileSystemWatcher: () => nothing(),
};

const languages = {
  createDiagnosticCollection: () => ({
    set: (uri, list) => {
      said.diagnostics.set(uri.toString(), list ?? []);
      void said.changed.fire();
    },
    delete: (uri) => said.diagnostics.delete(uri.toString()),
    clear: () => said.diagnostics.clear(),
    dispose: () => {},
  }),
  match: (selector, document) =>
    [selector].flat().some((one) => (one.language ?? one) === document.languageId) ? 10 : 0,
  registerCodeLensProvider: (_, provider) => {
    said.lenses.push(provider);
    return new Disposable();
  },
};

const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: { all: [], onDidChangeTabs: new EventEmitter().event, onDidChangeTabGroups: new EventEmitter().event },
  createOutputChannel: () => ({ append() {}, appendLine() {}, clear() {}, show() {}, hide() {}, dispose() {}, replace() {} }),
  showErrorMessage: (message) => {
    said.errors.push(message);
    return Promise.resolve(undefined);
  },
  createWebviewPanel: (kind, title, where, options) => {
    const panel = { kind, title, where, options, webview: { html: "" }, reveal() {}, onDidDispose: () => new Disposable() };
    said.panels.push(panel);
    return panel;
  },
};

const commands = {
  registerCommand: (name, action) => {
    said.commands.set(name, action);
    return new Disposable(() => said.commands.delete(name));
  },
};

/** What is not there does nothing. */
const filled = (known) => new Proxy(known, { get: (object, name) => (name in object ? object[name] : nothing()) });

module.exports = filled({
  EventEmitter,
  Disposable,
  Position,
  Range,
  Uri,
  Diagnostic,
  CancellationTokenSource,
  Location: class Location {
    constructor(uri, range) {
      Object.assign(this, { uri, range });
    }
  },
  DiagnosticRelatedInformation: class DiagnosticRelatedInformation {
    constructor(location, message) {
      Object.assign(this, { location, message });
    }
  },
  CodeLens: class CodeLens {
    constructor(range, command) {
      Object.assign(this, { range, command });
    }
  },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  ViewColumn: { Beside: -2 },
  version: "1.82.0",
  workspace: filled(workspace),
  languages: filled(languages),
  window: filled(window),
  commands: filled(commands),
  env: { language: "en", appName: "test" },
  said,
  /** Opens a document in the editor. */
  open(file, languageId, text) {
    const uri = Uri.file(path.resolve(file));
    const document = {
      uri, languageId, version: 1, getText: () => text, fileName: file, isClosed: false, isDirty: false, isUntitled: false, lineCount: text.split("\n").length,
    };
    documents.push(document);
    window.activeTextEditor = { document };
    return events.open.fire(document).then(() => document);
  },
  save: (document) => events.save.fire(document),
});
