// Runs a real YAML language server as editors do, over LSP on its standard streams.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** A diagnostic that an editor underlines. */
export interface EditorDiagnostic {
  readonly message: string;
  readonly range: { readonly start: Position };
}

/** A position; line and character count from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** An editor with a language server. */
export interface Editor {
  /** Opens a text under a path, and returns its diagnostics. */
  open(path: string, text: string): Promise<readonly EditorDiagnostic[]>;
  /** Returns the hover text at a position, as Markdown; empty if there is none. */
  hover(path: string, position: Position): Promise<string>;
  /** Returns the labels of the completions at a position. */
  complete(path: string, position: Position): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface LspMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Settings of the editor. */
export interface EditorSettings {
  /** Globs of files by schema, as in `yaml.schemas`. */
  readonly schemas?: Readonly<Record<string, string | readonly string[]>>;
}

/** Starts the server. Close it after the test. */
export async function startEditor({ schemas = {} }: EditorSettings = {}): Promise<Editor> {
  const program = createRequire(import.meta.url).resolve(
    "yaml-language-server/bin/yaml-language-server",
  );
  const child = spawn(process.execPath, [program, "--stdio"]);
  const wire = connectTo(child, schemas);
  await wire.ask("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } },
  });
  wire.notify("initialized", {});
  const at = (path: string, position: Position) => ({
    textDocument: { uri: pathToFileURL(path).href },
    position,
  });
  return {
    open: (path, text) => {
      const { href } = pathToFileURL(path);
      const underlined = wire.diagnosticsOf(href);
      const textDocument = { uri: href, languageId: "yaml", version: 1, text };
      wire.notify("textDocument/didOpen", { textDocument });
      return underlined;
    },
    hover: async (path, position) => {
      const found = await wire.ask("textDocument/hover", at(path, position));
      const { contents } = (found ?? {}) as { contents?: { value?: string } | string };
      return typeof contents === "string" ? contents : (contents?.value ?? "");
    },
    complete: async (path, position) => {
      const found = await wire.ask("textDocument/completion", at(path, position));
      const { items = [] } = (found ?? {}) as { items?: readonly { label: string }[] };
      return items.map(({ label }) => label);
    },
    close: async () => {
      await wire.ask("shutdown", null);
      wire.notify("exit", null);
      await once(child, "close");
    },
  };
}

function settingsWith(schemas: NonNullable<EditorSettings["schemas"]>) {
  const yaml = { validate: true, hover: true, completion: true };
  return { yaml: { ...yaml, schemaStore: { enable: false }, schemas } };
}

/** Connects requests and notifications in both directions. Answers the server's requests with the editor's settings. */
function connectTo(
  child: ChildProcessWithoutNullStreams,
  schemas: NonNullable<EditorSettings["schemas"]>,
) {
  const waiting = new Map<number, (message: LspMessage) => void>();
  const opened = new Map<string, (found: readonly EditorDiagnostic[]) => void>();
  let [id, held] = [0, Buffer.alloc(0)];
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const settings = settingsWith(schemas);
  const receive = (message: LspMessage): void => {
    const { id: requestId, method, params } = message;
    if (method === undefined) waiting.get(requestId ?? -1)?.(message);
    else if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = params as {
        uri: string;
        diagnostics: readonly EditorDiagnostic[];
      };
      opened.get(uri)?.(diagnostics);
    } else if (requestId !== undefined) {
      const { items = [] } = (params ?? {}) as { items?: readonly { section?: string }[] };
      const result = items.map(({ section }) => (section === "yaml" ? settings.yaml : {}));
      send({ id: requestId, result: method === "workspace/configuration" ? result : null });
    }
  };
  child.stdout.on("data", (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/u.exec(held.toString("latin1"));
      const start = head?.[0].length ?? 0;
      const end = start + Number(head?.[1]);
      if (head === null || held.length < end) return;
      receive(JSON.parse(held.subarray(start, end).toString("utf8")) as LspMessage);
      held = held.subarray(end);
    }
  });
  return {
    notify: (method: string, params: unknown): void => send({ method, params }),
    ask: async (method: string, params: unknown): Promise<unknown> => {
      const own = ++id;
      const { promise, resolve } = Promise.withResolvers<LspMessage>();
      waiting.set(own, resolve);
      send({ id: own, method, params });
      const { result, error } = await promise;
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    diagnosticsOf: (uri: string): Promise<readonly EditorDiagnostic[]> => {
      const { promise, resolve } = Promise.withResolvers<readonly EditorDiagnostic[]>();
      opened.set(uri, resolve);
      return promise;
    },
  };
}
