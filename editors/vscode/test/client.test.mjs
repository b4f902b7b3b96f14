// The server as the editor's own client library speaks to it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");
const here = path.dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? path.join(here, "..", "..", "..", "target");
const program = process.env.THREADWISE ?? path.join(target, "debug", "threadwise");
const skip = fs.existsSync(program) ? false : `there is no ${program}: build it with cargo, or name it in THREADWISE`;

test("a program is edited, verified, and its report is opened", { skip, timeout: 120_000 }, async () => {
  const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const published = [];
  let wake = () => {};
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (said) => {
    published.push(said);
    wake();
  });
  const hear = async (isMeant) => {
    for (;;) {
      const found = published.find(isMeant);
      if (found) return found;
      await new Promise((resolve) => (wake = resolve));
    }
  };
  connection.listen();
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    initializationOptions: { timeout: 20 },
  });
  assert.equal(answer.serverInfo.name, "threadwise");
  await connection.sendNotification(protocol.InitializedNotification.type, {});

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "threadwise-editor-"));
  const file = path.join(folder, "bank account.tw");
  const text = "shared x: 0..9;\nthread P { x = 1; assert x == 1; }\nthread Q { x = 2; }\n";
  fs.writeFileSync(file, text);
  const uri = pathToFileURL(file).toString();
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "threadwise", version: 1, text },
  });
  const textDocument = { uri };
  const position = { line: 2, character: 11 };
  const places = await connection.sendRequest(protocol.DefinitionRequest.type, { textDocument, position });
  assert.deepEqual(places[0].range.start, { line: 0, character: 7 });
  const legend = answer.capabilities.semanticTokensProvider.legend.tokenTypes;
  const tokens = await connection.sendRequest(protocol.SemanticTokensRequest.type, { textDocument });
  assert.equal(legend[tokens.data[3]], "keyword");

  await connection.sendNotification(protocol.DidSaveTextDocumentNotification.type, { textDocument });
  const found = await hear((said) => said.uri === uri && said.diagnostics.some((one) => one.code === "assertion"));
  assert.equal(found.diagnostics[0].relatedInformation.length, 2);
  const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
  assert.match(lenses[0].command.title, /^UNSAFE: assertion fails.* open the report$/);
  const page = await connection.sendRequest(protocol.ExecuteCommandRequest.type, {
    command: "threadwise.reportPath",
    arguments: [uri],
  });
  assert.match(fs.readFileSync(page, "utf8"), /^<!DOCTYPE html>/i);

  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await new Promise((resolve) => server.on("exit", resolve)), 0);
  connection.dispose();
  fs.rmSync(folder, { recursive: true });
});
