// The client of `threadwise lsp`: starts it, hands it the settings, and shows reports beside the source.

import * as fs from "fs";
import * as path from "path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** The pages that are open, by the documents that they are about. */
const pages = new Map<string, vscode.WebviewPanel>();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, action: () => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, () => told(action)));
  command("threadwise.verifyFile", () => ask("threadwise.verify"));
  command("threadwise.cancelRun", () => ask("threadwise.cancel"));
  command("threadwise.openReportBeside", () => openReport(current()));
  command("threadwise.restartServer", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("threadwise.path")) {
        void told(restart);
      } else if (change.affectsConfiguration("threadwise")) {
        void client?.sendNotification("workspace/didChangeConfiguration", { settings: { threadwise: settings() } });
      }
    }),
  );
  await told(start);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

async function start(): Promise<void> {
  const program = vscode.workspace.getConfiguration("threadwise").get<string>("path") || "threadwise";
  const server: ServerOptions = { command: program, args: ["lsp"] };
  const options: LanguageClientOptions = {
    // C and Java files are known to the server as well, but get a verdict only once somebody asks for it.
    documentSelector: ["threadwise", "transition-system", "c", "java"].map((language) => ({ language })),
    initializationOptions: settings(),
    middleware: {
      // Elsewhere the server opens reports in a browser; here they stand beside the source.
      executeCommand: (name, args, next) =>
        name === "threadwise.openReport" ? told(() => openReport(String(args[0]))) : next(name, args),
    },
  };
  client = new LanguageClient("threadwise", "Threadwise", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    throw new Error(
      `\`${program} lsp\` does not start: ${error}. Install Threadwise, or say in the setting threadwise.path where it is.`,
    );
  }
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

function settings(): object {
  const all = vscode.workspace.getConfiguration("threadwise");
  const names = ["verifyOnSave", "timeout", "arguments", "otherLanguages"];
  return Object.fromEntries(names.map((name) => [name, all.get(name)]));
}

/** The document in front of the user. */
function current(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new Error("open a program first");
  }
  return editor.document.uri.toString();
}

async function ask(command: string, uri: string = current()): Promise<void> {
  await request(command, uri);
}

async function request(command: string, uri: string): Promise<unknown> {
  if (!client) {
    throw new Error("the language server does not run");
  }
  return client.sendRequest("workspace/executeCommand", { command, arguments: [uri] });
}

/** Opens the last report on a document beside it, or shows the new one where the last one stands. */
async function openReport(uri: string): Promise<void> {
  const file = String(await request("threadwise.reportPath", uri));
  const page = await fs.promises.readFile(file, "utf8");
  let panel = pages.get(uri);
  if (!panel) {
    const title = `Threadwise: ${path.basename(vscode.Uri.parse(uri).path)}`;
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    // The page is one file that needs nothing else: no other file may be loaded.
    panel = vscode.window.createWebviewPanel("threadwise.report", title, where, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => pages.delete(uri));
    pages.set(uri, panel);
  }
  panel.webview.html = page;
  panel.reveal(undefined, true);
}

/** Does something, and tells the user why it could not be done. */
async function told(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    void vscode.window.showErrorMessage(`Threadwise: ${error instanceof Error ? error.message : String(error)}`);
  }
}
