// Tests the life cycle and previews of every resource type, call by call, against the real service.
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../../core/kind/fields.ts";
import { keyOf } from "../../../core/kind/identity.ts";
import { normalize } from "../../../core/spec/normalize.ts";
import { referencesOf } from "../../../core/kind/references.ts";
import { Unknown } from "../../../provider/bridge/unknown-values.ts";
import { propertiesOf } from "../../../provider/pulumi/properties.ts";
import {
  unwrapSecrets,
  unwrapSecretsInMap,
  type PropertyMap,
  unknownValue,
} from "../../../provider/pulumi/property-values.ts";
import { resolveReferences } from "../../../scripts/resolve-references.ts";
import { kindNamed } from "../../conformance/registry-cases.ts";
import { everyKind, everyKindChanged } from "../../support/every-kind.ts";
import { liveState } from "../../support/live-state.ts";
import { setUpProviderFixture, sampleResources } from "./provider-fixture.ts";
import type { ResourceState, ResourceRef } from "./driver.ts";

const fixture = setUpProviderFixture();
const { group, deployment } = sampleResources;

const examples = resolveReferences(everyKind);
/** The examples with every value changed that can change in place and that no reference uses. */
const changed = resolveReferences(everyKindChanged).map(({ kind, name, spec }, index) => {
  const before = examples[index]?.spec;
  const referring = new Set(referencesOf(kind, spec).map(({ field }) => field));
  const stays = fieldsOf(kind).filter(
    ({ name: field, traits }) =>
      traits.onChange === "replace" || kind.key.includes(field) || referring.has(field),
  );
  const kept = stays.map((field) => [field.name, before?.[field.name]] as const);
  return { kind, name, spec: { ...spec, ...Object.fromEntries(kept) } };
});

/** Returns the spec with Pulumi's property names. */
function inputsOf({ kind, spec }: (typeof examples)[number]): PropertyMap {
  return Object.fromEntries(
    propertiesOf(kind).inputs.flatMap(({ name, property }) =>
      spec[name] === undefined ? [] : [[property, spec[name] as PropertyMap[string]]],
    ),
  );
}

it("an import does not pin fields that the server changes", async () => {
  const on = { type: "Deployment", name: "d" };
  const release = { channel: "release" };
  const one = await fixture.create(on, { name: "d", region: "aws-us-east-1", release });
  const imported = await fixture.driver.read(on, { id: one.id });
  expect(unwrapSecretsInMap(imported?.inputs ?? {})["release"]).toEqual({
    channel: "release",
    hold: false,
  });
  expect(unwrapSecretsInMap(imported?.state ?? {})["release"]).toMatchObject({
    version: expect.any(String),
  });
});

describe("every kind", () => {
  it("is created, unchanged, read, imported, updated and deleted", async () => {
    const held: { on: ResourceRef; held: ResourceState; index: number }[] = [];
    for (const [index, doc] of examples.entries()) {
      const on = { type: doc.kind.name, name: doc.name };
      const news = inputsOf(doc);
      const one = await fixture.create(on, news);
      expect(one.id).toBe(keyOf(doc.kind, normalize(doc.kind, doc.spec)));
      expect(await fixture.driver.diff(on, one, { news: one.inputs })).toMatchObject({
        changes: "none",
      });
      held.push({ on, held: one, index });
    }
    for (const { on, held: one } of held) {
      const read = await fixture.driver.read(on, one);
      expect(unwrapSecretsInMap(read?.inputs ?? {}), on.type).toEqual(
        unwrapSecretsInMap(one.inputs),
      );
      const again = { id: one.id, state: read?.state ?? {}, inputs: read?.inputs ?? {} };
      const diff = await fixture.driver.diff(on, again, { news: one.inputs });
      expect(diff, on.type).toMatchObject({ changes: "none", replaces: [] });
    }
    for (const { on, held: one, index } of held) {
      const imported = await fixture.driver.read(on, { id: one.id });
      const kind = examples[index]?.kind;
      expect(imported?.id).toBe(one.id);
      const { detailed } = await fixture.driver.diff(on, imported ?? one, { news: one.inputs });
      // Only unreadable fields may remain to be written.
      for (const path of Object.keys(detailed)) {
        const field = fieldsOf(kind ?? mismatchedExamples()).find(({ name }) =>
          path.startsWith(name),
        );
        expect(
          field?.traits.writeOnly ?? field?.traits.maskedWhen,
          `${on.type} ${path}`,
        ).toBeTruthy();
      }
    }
    let updated = 0;
    // Resources that would be replaced are skipped, and those that refer to them.
    const kept = new Set<string>();
    for (const { on, held: one, index } of held) {
      const news = (
        await fixture.driver.check(on, inputsOf(changed[index] ?? mismatchedExamples()), one.inputs)
      ).inputs;
      const diff = await fixture.driver.diff(on, one, { news });
      const { kind, spec } = everyKind[index] ?? mismatchedExamples();
      const moved = (field: string) =>
        Object.keys(diff.detailed).some((at) => at.startsWith(field));
      const needs = referencesOf(kindNamed(kind), spec).filter(({ field }) => moved(field));
      if (diff.replaces.length > 0) kept.add(`${on.type}/${on.name}`);
      if (diff.replaces.length > 0) continue;
      if (needs.some((need) => kept.has(`${need.kind}/${need.value}`))) continue;
      if (diff.changes === "none") continue;
      const preview = await fixture.driver.update(on, one, { news, preview: true });
      const state = await fixture.driver.update(on, one, { news });
      for (const [name, value] of Object.entries(preview)) {
        if (value instanceof Unknown) continue;
        expect(unwrapSecrets(state[name] ?? null), `${on.type} ${name}`).toEqual(
          unwrapSecrets(value),
        );
      }
      const now = { id: one.id, state, inputs: news };
      expect(await fixture.driver.diff(on, now, { news })).toMatchObject({ changes: "none" });
      updated++;
    }
    expect(updated).toBeGreaterThan(1);
    for (const { on, held: one } of held.toReversed()) {
      const now = await fixture.driver.read(on, one);
      if (now !== undefined) await fixture.driver.delete(on, now);
      expect(await fixture.driver.read(on, one), on.type).toBeUndefined();
      await fixture.driver.delete(on, now ?? one);
    }
    expect(await liveState(fixture.service)).toEqual(fixture.initialState);
  });

  it("is found by its function and listed", async () => {
    for (const doc of examples)
      await fixture.create({ type: doc.kind.name, name: doc.name }, inputsOf(doc));
    for (const doc of examples) {
      const { kind } = doc;
      const inputs = inputsOf({ ...doc, spec: normalize(kind, doc.spec) });
      const pick = (names: readonly string[]): PropertyMap =>
        Object.fromEntries(
          propertiesOf(kind)
            .inputs.filter(({ name }) => names.includes(name))
            .map(({ property }) => [property, inputs[property] ?? null]),
        );
      const { result, failures } = await fixture.driver.invoke(
        `svc:index:get${kind.name}`,
        pick(kind.key),
      );
      expect(failures).toEqual([]);
      expect(unwrapSecretsInMap(result)).toMatchObject(unwrapSecretsInMap(pick(kind.key)));
      const plural = kind.plural.replace(/(?:^|-)(.)/g, (_, letter: string) =>
        letter.toUpperCase(),
      );
      const listed = await fixture.driver.invoke(`svc:index:get${plural}`, pick(kind.scope));
      expect((listed.result["items"] as PropertyMap[]).map(({ id }) => id)).toContain(result["id"]);
    }
  });
});

function mismatchedExamples(): never {
  throw new Error("the examples and their changes go hand in hand");
}

describe("previews", () => {
  it("return unknown values and create nothing", async () => {
    const { state } = await fixture.driver.create(
      group,
      { embedTenant: unknownValue, name: "g" },
      true,
    );
    expect(state["embedTenant"]).toBeInstanceOf(Unknown);
    expect(state["name"]).toBe("g");
    expect(state["embedGroupId"]).toBeInstanceOf(Unknown);
    expect(await liveState(fixture.service)).toEqual(fixture.initialState);
    await expect(
      fixture.driver.create(group, { embedTenant: unknownValue, name: "g" }),
    ).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("keep IDs over an update, and derive references from the inputs", async () => {
    await fixture.create(deployment, { name: "production", region: "aws-us-east-1" });
    const workbook = { type: "Workbook", name: "w" };
    const spec = {
      deployment: "production",
      slug: "sales",
      name: "Sales",
      dashboard: { title: "x" },
    };
    await fixture.create(workbook, spec);
    const on = { type: "Notification", name: "n" };
    const inputs = { deployment: "production", workbook: "sales", schedule: "0 9 * * 1" };
    const { state: planned } = await fixture.driver.create(on, inputs, true);
    const held = await fixture.create(on, inputs);
    expect(planned["key"]).toBe(held.state["key"]);
    const next = { ...inputs, schedule: "0 8 * * 1" };
    const preview = await fixture.driver.update(on, held, { news: next, preview: true });
    expect(preview["notificationId"]).toBe(held.state["notificationId"]);
    expect(preview["humanReadableSchedule"]).toBeInstanceOf(Unknown);
    expect(preview["key"]).not.toBe(held.state["key"]);
  });
});
