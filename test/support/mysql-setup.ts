// Starts one MariaDB server for all test files whose queries run on it, and stops it after the last one.
import type { TestProject } from "vitest/node";
import { findMysql, type MysqlServer, startMysql } from "./mysql-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server; undefined in runs without one. */
    mysql: string | undefined;
  }
}

let server: MysqlServer | undefined;

/** Starts the server if one is available. */
export async function setup({ provide }: TestProject): Promise<void> {
  const source = findMysql();
  if (source === undefined) return;
  server = await startMysql(source);
  provide("mysql", server.url);
}

/** Stops the server. */
export async function teardown(): Promise<void> {
  await server?.stop();
}
