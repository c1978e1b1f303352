// Renames in place with real Terraform: child resources follow a renamed parent and are not replaced.
import { afterEach, beforeEach, expect, it } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import { type FieldInfo, fieldsOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { kinds } from "../../resources/index.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { liveState } from "../support/live-state.ts";
import { startService, type TestService } from "../support/test-service.ts";
import type { Doc } from "../support/test-stack.ts";
import {
  configurationFor,
  makeWorkspace,
  describeWithEngines,
  type Workspace,
} from "./terraform-workspace.ts";

/** The kinds with a renamable parent, these parents, and what they refer to. */
const family = new Set([
  "EmbedTenant",
  "Deployment",
  "EnvironmentVariable",
  "Folder",
  "Workbook",
  "Notification",
  "NotificationRecipient",
]);
const documents = everyKind.filter(({ kind }) => family.has(kind));

describeWithEngines("rename in place", (engine) => {
  let service: TestService;
  let workspace: Workspace;

  beforeEach(async () => {
    service = await startService();
    await prepareAccount(service);
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
    await workspace.write(configurationFor(documents));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    await workspace?.dispose();
    await service?.close();
  });

  /** Returns the server's ids by resource address. */
  async function ids(): Promise<Readonly<Record<string, unknown>>> {
    const { output } = await workspace.run("show", "-json");
    const { values } = JSON.parse(output) as {
      values: { root_module: { resources: StateResource[] } };
    };
    return Object.fromEntries(
      values.root_module.resources.map(({ address, values: held }) => [
        address,
        Object.fromEntries(
          Object.entries(held).filter(([name]) => /(?:^|_)id$/.test(name) && name !== "import_id"),
        ),
      ]),
    );
  }

  async function planned(): Promise<string> {
    const { code, output } = await workspace.run("plan", "-detailed-exitcode");
    expect(code).toBe(2);
    return output.split("\n").find((line) => line.startsWith("Plan:")) ?? output;
  }

  it("keeps child objects, applies other changes, and has an empty plan afterwards", async () => {
    const before = await ids();
    expect(Object.keys(before)).toHaveLength(documents.length);
    const renamed = documents.map((doc) => renamedDocument(doc));
    await workspace.write(configurationFor(renamed));
    expect(await planned()).toMatch(/^Plan: 0 to add, \d+ to change, 0 to destroy/);
    expect((await workspace.run("apply", "-auto-approve")).output).toContain("0 destroyed");
    expect(await ids()).toEqual(before);
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    const renamedWorkbook = "Workbook/production-renamed/sales-overview-renamed";
    expect(Object.keys(await liveState(service))).toContain(renamedWorkbook);
  });

  it("outside Terraform is repaired without replacing child objects", async () => {
    const [before, live] = [await ids(), await liveState(service)];
    const { body } = await service.send("GET", "/api/v1/deployments");
    const found = (body as { items?: readonly unknown[] }).items ?? (body as readonly unknown[]);
    const own = found.find((one) => isObject(one) && one["name"] === "production") as {
      id: number;
    };
    const response = await service.send("PUT", `/api/v1/deployments/${own.id}`, {
      body: { name: "by-hand" },
    });
    expect(response.status).toBeLessThan(300);
    expect(await planned()).toMatch(/^Plan: 0 to add, \d+ to change, 0 to destroy/);
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await ids()).toEqual(before);
    expect(await liveState(service)).toEqual(live);
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

interface StateResource {
  readonly address: string;
  readonly values: JsonObject;
}

/** Returns the document with a new name, if it can be renamed in place, and a new value of a variable. */
function renamedDocument({ kind: kindName, name, spec }: Doc): Doc {
  const renamed = renamableFields(kindName).flatMap((field) => {
    const value = spec[field.name];
    return typeof value === "string" && /^[a-z-]+$/.test(value)
      ? [[field.name, `${value}-renamed`]]
      : [];
  });
  const value = "value" in spec ? { value: "another" } : {};
  return {
    kind: kindName,
    name,
    spec: { ...spec, ...(Object.fromEntries(renamed) as JsonObject), ...value },
  };
}

/** Returns the fields of a key that change in place, also as the name of a parent. */
function renamableFields(kindName: string): readonly FieldInfo[] {
  const kind = kindsByName(kinds).get(kindName);
  return (kind === undefined ? [] : fieldsOf(kind)).filter(
    ({ name, traits: { onChange, refersTo } }) =>
      kind?.key.includes(name) === true &&
      onChange === undefined &&
      (refersTo === undefined || renamableFields(refersTo).length > 0),
  );
}
