// Serves ClickHouse's HTTP interface over its engine as a library, which has no server. Arguments: the main file of the package
// chdb, the folder of the data, the port, the user, and the password.
import { createServer, type IncomingMessage } from "node:http";
import { pathToFileURL } from "node:url";

/** What this program uses of the package. */
interface Engine {
  readonly Session: new (
    folder: string,
    options: { readonly connectionArgs: readonly string[] },
  ) => {
    query(text: string): string;
    queryAsync(
      text: string,
      options: { readonly format: string },
    ): Promise<{ bytes(): Uint8Array }>;
    close(): void;
  };
}

const [file = "", folder = "", port = "", user = "", password = ""] = process.argv.slice(2);
const { Session } = (await import(pathToFileURL(file).href)) as Engine;
const open = () => new Session(folder, { connectionArgs: ["--default_table_engine=Memory"] });
// The engine lives as long as one session.
open().query("CREATE DATABASE IF NOT EXISTS base ENGINE = Atomic");

/** The parameters of the interface that are no settings. */
const ofInterface = new Set(["database", "default_format", "query_id", "wait_end_of_query"]);
const running = new Set<string>();
const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const literal = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

async function answer(request: IncomingMessage): Promise<Uint8Array> {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  if (request.headers.authorization !== credentials)
    throw new Error(
      `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name.\n\nIf you have installed ClickHouse and forgot password you can reset it in the configuration file.\n\n. (AUTHENTICATION_FAILED)`,
    );
  const type = request.headers["content-type"] ?? "";
  const body = new Response(Buffer.concat(parts), { headers: { "content-type": type } });
  const form = type.startsWith("multipart/")
    ? new Map([...(await body.formData())].map(([name, value]) => [name, value as string]))
    : new Map([["query", await body.text()]]);
  const id = searchParams.get("query_id");
  if (id !== null && running.has(id))
    throw new Error(
      `Code: 216. DB::Exception: Query with id = ${id} is already running. (QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING)`,
    );
  const session = open();
  try {
    if (id !== null) running.add(id);
    session.query(`USE ${searchParams.get("database") ?? "base"}`);
    const settings = [...searchParams, ...form].filter(
      ([name]) => name !== "query" && !ofInterface.has(name),
    );
    // Settings that allow no others come last.
    const ordered = settings.toSorted(
      ([a], [b]) => Number(a === "readonly") - Number(b === "readonly"),
    );
    for (const [name, value] of ordered) session.query(`SET ${name} = ${literal(value)}`);
    const format = searchParams.get("default_format") ?? "TabSeparated";
    return (await session.queryAsync(form.get("query") ?? "", { format })).bytes();
  } finally {
    if (id !== null) running.delete(id);
    session.close();
  }
}

createServer((request, response) => {
  void answer(request).then(
    (bytes) => response.end(bytes),
    (error: Error) => {
      const text = /Code: (\d+)[^]*$/.exec(error.message);
      response.statusCode = text?.[1] === "516" ? 403 : 500;
      response.setHeader("X-ClickHouse-Exception-Code", text?.[1] ?? "0");
      response.end(`${text?.[0] ?? error.message} (version 26.7 (official build))\n`);
    },
  );
}).listen(Number(port), "127.0.0.1");
