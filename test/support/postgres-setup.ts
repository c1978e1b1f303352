// Starts one PostgreSQL server for all test files on it, and stops it after the last one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import {
  copyStatement,
  runSql,
  findPostgres,
  makeTemplate,
  type PostgresServer,
  startPostgres,
} from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the server; undefined in runs without one. */
    postgres: string | undefined;
    /** The end of the statement that creates a database of a test. */
    postgresCopy: string | undefined;
    /** The folder of the secret keys of services on it. */
    secretKeyFolder: string | undefined;
  }
}

let server: PostgresServer | undefined;
let template = "";
let secretKeyFolder = "";

/** Starts the server if one is available. */
export async function setup({ provide }: TestProject): Promise<void> {
  const source = findPostgres();
  if (source === undefined) return;
  server = await startPostgres(source);
  template = await makeTemplate(server.url);
  provide("postgres", server.url);
  provide("postgresCopy", await copyStatement(server.url, template));
  secretKeyFolder = mkdtempSync(join(tmpdir(), "svc-test-keys-"));
  provide("secretKeyFolder", secretKeyFolder);
}

/** Stops the server. */
export async function teardown(): Promise<void> {
  if (server) await runSql(server.url, `drop database if exists ${template}`);
  await server?.stop();
  if (secretKeyFolder !== "") rmSync(secretKeyFolder, { recursive: true, force: true });
}
