// Tests the import table on all files, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { importProblems } from "./imports.ts";
import { parseSource } from "./source.ts";
import { sources } from "./repository-files.ts";

const problemsOf = (path: string, text: string) => importProblems(parseSource(path, text));

/** Files that rename a file themselves: caches, launchers, and moves of what is complete. */
const renaming = [
  "client/user-cache.ts",
  "controller/checkout.ts",
  "controller/repository.ts",
  "files/atomic-files.ts",
  "reconciler/verbs/inventory-admin.ts",
  "service/maintenance/backup.ts",
  "service/maintenance/database-backup.ts",
  "service/rollups/rollup-store.ts",
];

it("files are replaced by files/, except where a list says so", () => {
  const found = sources().filter(
    ({ path, isTest, text }) =>
      !isTest &&
      !/^(?:scripts|test|bench)\//u.test(path) &&
      /import \{[^}]*\brename(?:Sync)?\b[^}]*\} from "node:fs(?:\/promises)?"/u.test(text),
  );
  expect(found.map(({ path }) => path).toSorted()).toEqual(renaming);
});

describe("the import table", () => {
  it("holds for every source", () => {
    expect(sources().flatMap(importProblems)).toEqual([]);
  });

  it.each([
    ["client/call.ts", 'import { x } from "../service/server.ts";'],
    ["client/call.test.ts", 'import { x } from "../service/server.ts";'],
    ["service/http/handler.ts", 'import type { X } from "../../client/call.ts";'],
    ["reconciler/plan.ts", 'import { x } from "../provider/bridge.ts";'],
    ["reconciler/plan.ts", 'import { x } from "../promotion/run.ts";'],
    ["provider/bridge.ts", 'export { x } from "../reconciler/plan.ts";'],
    ["core/kind/kind.ts", 'import { x } from "../../api/problems.ts";'],
    ["core/kind/kind.ts", 'type X = import("../../api/problems.ts").X;'],
    ["core/kind/kind.ts", 'const x = await import("../../api/problems.ts");'],
    ["cli/commands/plan.ts", 'import { x } from "../../service/server/server.ts";'],
    ["cli/commands/serve.ts", 'import { x } from "../../provider/bridge.ts";'],
    ["client/call.ts", 'import { x } from "../test/support/service.ts";'],
    ["client/call.test.ts", 'import { x } from "../test/laws/stacks.test.ts";'],
    ["test/wire/sessions.test.ts", 'import { x } from "../../api/problems.ts";'],
    ["web/controller/store.ts", 'import { x } from "../../controller/config.ts";'],
    ["web/dashboard/main.tsx", 'import type { X } from "../../controller/api-types.ts";'],
    ["gadgets/new.ts", 'import { x } from "../core/kind/kind.ts";'],
    ["core/kind/kind.ts", 'import { x } from "../../../elsewhere/x.ts";'],
  ])("refuses a folder out of reach: %s: %s", (path, text) => {
    expect(problemsOf(path, text)).toHaveLength(1);
  });

  it.each([
    ["reconciler/plan.ts", 'import * as pulumi from "@pulumi/pulumi";'],
    ["cli/main.ts", 'import { App } from "cdktf";'],
    ["client/call.ts", 'import fastify from "fastify";'],
    ["service/areas/x/list.ts", 'import { sql } from "kysely";'],
    ["core/spec/diff.ts", 'import { readFileSync } from "node:fs";'],
    ["core/spec/diff.ts", 'import { expect } from "vitest";'],
  ])("refuses a package out of place: %s: %s", (path, text) => {
    expect(problemsOf(path, text)).toHaveLength(1);
  });

  it.each([
    ["cli/commands/service.ts", 'const { x } = await import("../../service/server/server.ts");'],
    ["cli/commands/install.ts", 'const { x } = await import("../../provider/bridge.ts");'],
    ["test/conformance/run.test.ts", 'import { x } from "../../service/server/server.ts";'],
    ["client/call.test.ts", 'import { x } from "../test/support/service.ts";'],
    ["core/diff.test.ts", 'import fc from "fast-check";'],
    ["resources/embed-user.ts", 'import { x } from "../core/kind/kind.ts";'],
    ["web/controller/store.ts", 'import type { X } from "../../controller/api-types.ts";'],
    ["provider/pulumi/server.ts", 'import * as pulumi from "@pulumi/pulumi/proto/x.js";'],
  ])("allows what the table allows: %s: %s", (path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });
});
