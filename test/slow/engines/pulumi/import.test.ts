// Tests imports of objects that the API does not return completely: which fields are skipped, and what the next update writes.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isShown } from "../../../../core/kind/fields.ts";
import { propertiesOf } from "../../../../provider/pulumi/properties.ts";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { SecretValue } from "../../../../provider/pulumi/property-values.ts";
import { kindNamed } from "../../../conformance/registry-cases.ts";
import { everyKind } from "../../../support/every-kind.ts";
import { liveState } from "../../../support/live-state.ts";
import { startService, type TestService } from "../../../support/test-service.ts";
import { type RunningProvider, startProvider } from "../../../engines/pulumi/driver.ts";
import { programOf } from "../../../engines/pulumi/program.ts";
import { setUpStackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

/** Returns the properties that the API does not always return. */
function unreadableProperties(type: string): readonly string[] {
  const { inputs } = propertiesOf(kindNamed(type));
  return inputs.filter(({ schema }) => !isShown(schema)).map(({ property }) => property);
}

const masked = { deployment: "main", name: "API_TOKEN", value: "hunter2" };

/** Creates a masked variable through the API. */
async function maskedVariable(service: TestService): Promise<void> {
  const body = { env_variables: [{ name: "API_TOKEN", value: "before" }] };
  const { status } = await service.send("PUT", "/api/v1/deployments/1/env-vars", { body });
  expect(status).toBe(200);
}

describeWithEngines("the import option", (open) => {
  const fixture = setUpStackFixture(open);

  it("imports every resource type and writes only unreadable fields", async () => {
    const { engine: first, service } = fixture;
    const documents = [
      ...everyKind,
      ...["A_PASSWORD", "A_SECRET"].map((name) => ({
        kind: "EnvironmentVariable",
        name: name.toLowerCase(),
        spec: { deployment: "production", name, value: "hunter2" },
      })),
    ];
    expect((await first.up(programOf(documents))).errors).toEqual([]);
    const before = await liveState(service);
    const ids = new Map((await first.resources()).map(({ name, id }) => [name, id]));
    const importing = programOf(documents, (name) => ({ import: ids.get(name) ?? "" }));

    const other = await fixture.openStack();
    const imported = await other.up(importing);
    expect(imported.errors).toEqual([]);
    expect(imported.steps.filter(({ op }) => op === "import")).toHaveLength(documents.length);
    expect(await other.allText()).not.toContain("hunter2");

    const updates = imported.steps.filter(({ op }) => op !== "import");
    const written = updates.map(({ op, type, name, detailed = {} }) => {
      expect([op, unreadableProperties(type)]).toEqual([
        "update",
        expect.arrayContaining(Object.keys(detailed)),
      ]);
      return name;
    });
    expect(written).toEqual(
      expect.arrayContaining(["EnvironmentVariable/a_password", "EnvironmentVariable/a_secret"]),
    );
    expect(imported.warnings.length).toBeGreaterThanOrEqual(written.length);
    expect(stepNames(await other.up(importing))).toEqual([]);
    expect(await liveState(service)).toEqual(before);
  });

  it("writes a masked value and warns that it could not be compared", async () => {
    await maskedVariable(fixture.service);
    const ran = await (
      await fixture.openStack()
    ).up(async () => {
      const given = { ...masked, deployment: "main" };
      new svc.EnvironmentVariable("token", given, { import: "main/API_TOKEN" });
    });
    expect(stepNames(ran)).toEqual(["import token", "update token"]);
    expect(ran.warnings.join()).toMatch(/did not read value.*Pulumi writes/);
  });

  it("and pulumi import warn about each property that they leave out", async () => {
    const { engine } = fixture;
    const given = { name: "acme-stores" };
    await engine.up(async () => {
      const acme = new svc.EmbedTenant("acme", given);
      new svc.EmbedUser("ada", { embedTenant: acme.name, externalId: "ada-1001" });
    });
    const other = await fixture.openStack();
    const target = { type: "svc:index:EmbedUser", name: "ada", id: "acme-stores/ada-1001" };
    const { errors, warnings } = await other.import([target]);
    expect(errors).toEqual([]);
    expect(warnings.join()).toMatch(/did not read .*groups, userAttributes/);
  });
});

describe("an unreadable field", () => {
  const on = { type: "EnvironmentVariable", name: "token" };
  let service: TestService;
  let running: RunningProvider;
  beforeEach(async () => {
    service = await startService();
    await maskedVariable(service);
    running = await startProvider();
    await running.driver.configure({ url: service.url, apiKey: new SecretValue(service.adminKey) });
  });
  afterEach(async () => {
    await running.close();
    await service.close();
  });

  it("is optional after an import, so that it can stay unmanaged, and required on a new object", async () => {
    const { driver } = running;
    const read = (await driver.read(on, { id: "main/API_TOKEN" })) ?? unexpectedlyPresent();
    expect(Object.keys(read.inputs)).toEqual(["deployment", "name"]);
    // ignoreChanges keeps the program's inputs in every later run.
    for (const _ of ["import", "update"]) {
      const { inputs, failures } = await driver.check(on, read.inputs, read.inputs);
      expect(failures).toEqual([]);
      expect(await driver.diff(on, read, { news: inputs })).toMatchObject({ changes: "none" });
    }
    const fresh = await driver.check(on, read.inputs);
    expect(fresh.failures).toEqual([{ property: "value", reason: "is required" }]);
    const dropped = await driver.check(on, read.inputs, masked);
    expect(dropped.failures).toEqual([{ property: "value", reason: "is required" }]);
  });

  it("is written once it is set, also after a refresh and by another run of the engine", async () => {
    const read = (await running.driver.read(on, { id: "main/API_TOKEN" })) ?? unexpectedlyPresent();
    const later = await startProvider();
    try {
      const { driver } = later;
      await driver.configure({ url: service.url, apiKey: new SecretValue(service.adminKey) });
      const refreshed = (await driver.read(on, read)) ?? unexpectedlyPresent();
      for (const held of [read, refreshed, { ...refreshed, inputs: masked }]) {
        const diff = await driver.diff(on, held, { news: masked });
        expect(diff).toMatchObject({ detailed: { value: "UPDATE" }, replaces: [] });
      }
      const state = await driver.update(on, refreshed, { news: masked });
      const written = { id: read.id, state, inputs: masked };
      expect(await driver.diff(on, written, { news: masked })).toMatchObject({ changes: "none" });
    } finally {
      await later.close();
    }
  });
});

function unexpectedlyPresent(): never {
  throw new Error("it is there");
}
