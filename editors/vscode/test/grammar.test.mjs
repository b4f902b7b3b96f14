// The grammar, read by the editor's own library for it.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..", "..");

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const file = path.join(here, "..", "syntaxes", "threadwise.tmLanguage.json");
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  return registry.loadGrammar("source.threadwise");
}

const loaded = grammar();

/** The words of a text, each with the innermost scope that it has. */
async function scopes(text) {
  const language = await loaded;
  let state = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const result = language.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      found.push([line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
    }
  }
  return found;
}

async function scopeOf(text, word) {
  return (await scopes(text)).find(([piece]) => piece.trim() === word)?.[1];
}

test("declarations, labels and properties have scopes of their own", async () => {
  const text = "abstract thread Worker { again: x = 0x1F; assert w@again; } // invariant\n/* thread\nproc */ const N = 2;";
  assert.equal(await scopeOf(text, "Worker"), "entity.name.type.thread.threadwise");
  assert.equal(await scopeOf(text, "0x1F"), "constant.numeric.threadwise");
  assert.equal(await scopeOf(text, "assert"), "keyword.other.property.threadwise");
  assert.equal(await scopeOf(text, "N"), "variable.other.constant.threadwise");
  assert.equal(await scopeOf("w@again", "again"), "entity.name.label.threadwise");
  for (const [piece, scope] of await scopes(text)) {
    if (piece.includes("invariant") || piece.includes("proc")) {
      assert.match(scope, /^comment/);
    }
  }
});

test("every keyword of the language is one of the grammar, and of the syntax file for Vim", async () => {
  const lexer = fs.readFileSync(path.join(root, "crates", "front-tw", "src", "lexer.rs"), "utf8");
  const list = lexer.slice(lexer.indexOf("keywords {\n"), lexer.indexOf("symbols {\n"));
  const words = [...list.matchAll(/"([a-z_]+)"/g)].map((found) => found[1]);
  assert.ok(words.length > 40);
  const vim = fs.readFileSync(path.join(root, "editors", "vim", "syntax", "threadwise.vim"), "utf8");
  for (const word of words) {
    const scope = await scopeOf(`${word} `, word);
    assert.match(String(scope), /^(keyword|storage|constant|variable\.language)/, word);
    assert.match(vim, new RegExp(`syntax keyword [^\\n]*\\b${word}\\b`), word);
  }
});

test("no example ends in the middle of a comment", async () => {
  const folder = path.join(root, "examples");
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(".tw"))) {
    const found = await scopes(`${fs.readFileSync(path.join(folder, name), "utf8")}\nthread`);
    assert.equal(found.at(-1)[1], "storage.type.threadwise", name);
  }
});
