// Starts one ClickHouse server for all test files whose queries run on it, and stops it after the last one.
import type { TestProject } from "vitest/node";
import { type ClickhouseServer, findClickhouse, startClickhouse } from "./clickhouse-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server; undefined in runs without one. */
    clickhouse: string | undefined;
  }
}

let server: ClickhouseServer | undefined;

/** Starts the server if one is available. */
export async function setup({ provide }: TestProject): Promise<void> {
  const source = findClickhouse();
  if (source === undefined) return;
  server = await startClickhouse(source);
  provide("clickhouse", server.url);
}

/** Stops the server. */
export async function teardown(): Promise<void> {
  await server?.stop();
}
