// Starts a ClickHouse server for tests: the one that SVC_TEST_CLICKHOUSE names, or the engine in the package chdb, which
// `.ci/run` installs.
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "./free-port.ts";
import { memoryFolder } from "./memory-folder.ts";
import { startKeeper } from "./start-keeper.ts";

/** The source of a server. */
export type ClickhouseServerSource = { readonly url: string } | { readonly engine: string };

const folder = fileURLToPath(new URL("../../node_modules", import.meta.url));
const engine = join(folder, ".cache/chdb/node_modules/chdb/index.js");
const serverFile = fileURLToPath(new URL("./clickhouse-engine.ts", import.meta.url));

/** The message if no server is available. */
export const clickhouseMissing =
  "no ClickHouse: SVC_TEST_CLICKHOUSE is not set, and node_modules/.cache/chdb has no package chdb";

/** Returns the source of servers on this machine; undefined if there is none. */
export function findClickhouse(): ClickhouseServerSource | undefined {
  const url = process.env["SVC_TEST_CLICKHOUSE"];
  if (url !== undefined && url !== "") return { url };
  return existsSync(engine) ? { engine } : undefined;
}

/** A running server. */
export interface ClickhouseServer {
  /** The URL of its administrator. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server on a loopback port, or uses the named one. */
export async function startClickhouse(source: ClickhouseServerSource): Promise<ClickhouseServer> {
  if ("url" in source) return { url: source.url, stop: async () => undefined };
  const place = mkdtempSync(join(memoryFolder() ?? tmpdir(), "svc-clickhouse-"));
  const port = await findFreePort();
  const password = randomBytes(12).toString("hex");
  const server = [serverFile, source.engine, join(place, "data"), String(port), "svc", password];
  const stop = startKeeper(new URL("./server-keeper.ts", import.meta.url), [
    place,
    "",
    "",
    process.execPath,
    ...server,
  ]);
  const url = `http://svc:${password}@127.0.0.1:${port}/base`;
  for (let waits = 0; waits < 300; waits++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer !== undefined) return { url, stop };
    await sleep(100);
  }
  await stop();
  throw new Error("the engine of ClickHouse does not start");
}
