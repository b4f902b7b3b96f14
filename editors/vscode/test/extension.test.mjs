// The extension itself, with the editor's own language client, against the real server; only the editor around it is made up.
import assert from "node:assert/strict";
import fs from "node:fs";
import Module, { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const here = path.dirname(fileURLToPath(import.meta.url));
const stub = path.join(here, "vscode.cjs");
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => (name === "vscode" ? stub : resolve.call(Module, name, ...rest));

const target = process.env.CARGO_TARGET_DIR ?? path.join(here, "..", "..", "..", "target");
const program = process.env.THREADWISE ?? path.join(target, "debug", "threadwise");
const skip = fs.existsSync(program) ? false : `there is no ${program}: build it with cargo, or name it in THREADWISE`;

test("the client marks the error with its trace, and the report opens beside the source", { skip, timeout: 120_000 }, async () => {
  const vscode = require(stub);
  const extension = require("../out/extension.js");
  vscode.workspace.settings = { path: program, verifyOnSave: true, timeout: 20, arguments: [], otherLanguages: false };
  const subscriptions = [];
  await extension.activate({ subscriptions });
  assert.deepEqual(vscode.said.errors, []);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "threadwise-extension-"));
  const file = path.join(folder, "account.tw");
  const text = "shared x: 0..9;\nthread P { x = 1; assert x == 1; }\nthread Q { x = 2; }\n";
  fs.writeFileSync(file, text);
  const document = await vscode.open(file, "threadwise", text);
  await vscode.save(document);
  const uri = document.uri.toString();
  const found = () => (vscode.said.diagnostics.get(uri) ?? []).find((one) => one.code === "assertion");
  while (!found()) await new Promise((wake) => vscode.said.changed.event(wake));
  assert.equal(found().relatedInformation.length, 2);
  assert.equal(found().range.start.line, 1);
  await vscode.said.commands.get("threadwise.openReportBeside")();
  assert.deepEqual(vscode.said.errors, []);
  assert.match(vscode.said.panels[0].webview.html, /^<!DOCTYPE html>/i);
  assert.equal(vscode.said.panels[0].title, "Threadwise: account.tw");
  assert.equal(vscode.said.panels[0].where.viewColumn, vscode.ViewColumn.Beside);
  await extension.deactivate();
  fs.rmSync(folder, { recursive: true });
});
