// Tests sources whose path is a pattern: they follow the folders of the repository, and never delete objects.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { suspendSource } from "../../controller/actions.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import { savedOverviews } from "../../controller/overview.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  startTime,
  type SourceOverrides,
} from "./fixture.ts";

let fixture: ControllerFixture;
let repository: string;
beforeEach(async () => {
  fixture = await openControllerFixture();
  repository = join(fixture.home, "repository");
  for (const name of ["acme", "bluewater"]) stack(name);
  fixture.write("repository/stacks/README.md", "Stacks.");
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit("begin");
});
afterEach(() => fixture.close());

const minute = 60_000;
const pattern = (): SourceOverrides => ({
  name: "tenants",
  git: { url: repository, path: "stacks/*/" },
});

function stack(name: string): void {
  fixture.stack(`repository/stacks/${name}`, [groupDocument(`${name}-users`)], {}, name);
}

function commit(message: string): void {
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "-m", message);
}

it("stand for a source of each folder, which commands know afterwards", async () => {
  const events = await fixture.reconcileOnce([pattern()]);
  expect(events.map(({ source, result }) => `${source} ${result}`).toSorted()).toEqual([
    "tenants unchanged",
    "tenants-acme applied",
    "tenants-bluewater applied",
  ]);
  expect(events[0]?.expanded).toEqual({
    sources: 2,
    added: ["tenants-acme", "tenants-bluewater"],
  });
  expect(await fixture.groupNames()).toEqual(["acme-users", "bluewater-users"]);

  const config = readControllerConfig(join(fixture.home, "controller.yaml"));
  const overviews = await savedOverviews(config, startTime);
  expect(
    overviews.map(({ name, stack: of, health, order }) => [name, of, health, order?.wave]),
  ).toEqual([
    ["tenants", "tenants", "ok", 0],
    ["tenants-acme", "acme", "ok", 0],
    ["tenants-bluewater", "bluewater", "ok", 0],
  ]);
  const now = startTime;
  await suspendSource(config, {
    source: "tenants",
    by: "ada",
    reason: "a move",
    expires: "4h",
    now,
  });
  const suspended = (await savedOverviews(config, startTime)).map(({ health }) => health);
  expect(suspended).toEqual(["suspended", "suspended", "suspended"]);
});

it("follow the folders of the repository, and leave the objects of a folder that is gone", async () => {
  const controller = await fixture.start([pattern()], { listen: { port: 0 } });
  const names = async (): Promise<readonly string[]> => {
    const { sources } = (await (await fetch(`${controller.url()}/status`)).json()) as {
      sources: readonly { name: string }[];
    };
    return sources.map(({ name }) => name);
  };
  const reconciled = (): readonly string[] =>
    controller.events.flatMap((event) => (event.event === "reconciliation" ? event.source : []));
  await expect.poll(reconciled, { timeout: 20_000 }).toContain("tenants-bluewater");
  await expect.poll(reconciled, { timeout: 20_000 }).toContain("tenants-acme");
  expect(await names()).toEqual(["tenants", "tenants-acme", "tenants-bluewater"]);

  rmSync(join(repository, "stacks/acme"), { recursive: true });
  stack("cedar");
  commit("change the folders");
  const event = await controller.advanceAndWait(minute, "tenants");
  expect(event).toMatchObject({
    result: "unchanged",
    expanded: { sources: 2, added: ["tenants-cedar"], removed: ["tenants-acme"] },
    diagnostics: [{ code: "source-removed", summary: expect.stringContaining("Stack acme stay") }],
  });
  await expect.poll(reconciled, { timeout: 20_000 }).toContain("tenants-cedar");
  expect(await names()).toEqual(["tenants", "tenants-bluewater", "tenants-cedar"]);
  expect(await fixture.groupNames()).toEqual(["acme-users", "bluewater-users", "cedar-users"]);
  const metrics = await (await fetch(`${controller.url()}/metrics`)).text();
  expect(metrics).toContain('source="tenants-cedar"');
  expect(metrics).not.toMatch(/timestamp_seconds\{source="tenants-acme"/u);

  // A commit without any folder is an error, and changes nothing.
  rmSync(join(repository, "stacks"), { recursive: true });
  fixture.write("repository/README.md", "Empty.");
  commit("remove all");
  const empty = await controller.advanceAndWait(minute, "tenants");
  expect(empty).toMatchObject({ result: "failed", failure: { code: "not_found" } });
  expect(await names()).toEqual(["tenants", "tenants-bluewater", "tenants-cedar"]);
});

it("name the folders that cannot be a source, and go on with the others", async () => {
  stack("_base");
  stack("other");
  stack("tenant");
  commit("more folders");
  const folder = fixture.stack("other", [groupDocument("other-users")], {}, "tenant");
  const events = await fixture.reconcileOnce([
    pattern(),
    { name: "tenants-other", mode: "plan", folder, stack: "tenant" },
    { name: "writer", folder, stack: "tenant" },
  ]);
  const [event] = events;
  expect(event).toMatchObject({ source: "tenants", result: "invalid", expanded: { sources: 2 } });
  expect(event?.diagnostics?.map(({ summary }) => summary)).toEqual([
    "the folder stacks/_base has no source: _base is no name of a Stack",
    "the folder stacks/other has no source: another source is called tenants-other",
    "the folder stacks/tenant has no source: the source writer applies the stack tenant to the same server",
  ]);
  const applied = events.filter(({ result }) => result === "applied").map(({ source }) => source);
  expect(applied.toSorted()).toEqual(["tenants-acme", "tenants-bluewater", "writer"]);
});

it("may match a folder below, and share the members of the defaults", async () => {
  fixture.stack("repository/apps/shop/prod", [groupDocument("shop")], {}, "shop");
  fixture.write("repository/apps/docs/README.md", "No stack.");
  commit("apps");
  const file = fixture.write(
    "controller.yaml",
    JSON.stringify({
      state: "state",
      defaults: {
        mode: "report-drift",
        interval: "2m",
        server: { url: "https://a.example", apiKey: { env: "KEY" } },
      },
      sources: [
        { name: "apps", interval: "3m", git: { url: repository, path: "apps/*/prod" } },
        { name: "plain", folder: "plain" },
      ],
    }),
  );
  const { sources } = readControllerConfig(file);
  expect(sources.map(({ mode, intervalMs }) => [mode, intervalMs])).toEqual([
    ["report-drift", 180_000],
    ["report-drift", 120_000],
  ]);
  const events = await fixture.reconcileOnce([
    { name: "apps", git: { url: repository, path: "apps/*/prod" } },
  ]);
  expect(events.map(({ source, result }) => [source, result])).toEqual([
    ["apps", "unchanged"],
    ["apps-shop", "applied"],
  ]);
});
