// Tests that a new kind and a new area need only their own declarations, with the whole life of a sample kind.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openapi } from "../../api/openapi.ts";
import { explain } from "../../reconciler/verbs/explain.ts";
import { documentSchema, manifestSchema } from "../../core/kind/json-schema.ts";
import type { JsonObject } from "../../core/json.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";
import { operations, relic, widget, type WidgetArea, widgetArea } from "./widget.ts";

const kinds = [widget, relic];
let area: WidgetArea;
let service: TestService;
let stack: TestStack;

beforeEach(async () => {
  area = widgetArea();
  service = await startService({ handlers: area.handlers });
  stack = await makeStack({ url: service.url, key: service.adminKey, kinds });
});
afterEach(async () => {
  await stack.dispose();
  await service.close();
});

const full = {
  name: "one",
  grade: "fine",
  note: "a note",
  tags: ["b", "a"],
  form: { material: "tin", sides: 3 },
  labels: { team: "growth" },
  password: "swordfish",
};

const write = (spec: JsonObject, kind = "Widget") =>
  stack.write([
    { kind, name: "mine", spec },
    { kind, name: "anchor", spec: anchor },
  ]);
const anchor = { name: "anchor", grade: "coarse" };
const plannedChanges = async () => changeSummaries((await stack.plan()).changes);
const storedWidget = (name: string) => [...area.widgets.values()].find((one) => one.name === name);
const driftDirections = async () => (await stack.plan()).changes.map(({ direction }) => direction);

describe("a throw-away kind", () => {
  it("is created with its defaults, and then there is nothing to do", async () => {
    await write(full);
    await stack.apply();
    expect(storedWidget("one")).toMatchObject({
      ...full,
      tags: ["a", "b"],
      size: 3,
      colour: "grey",
    });
    expect(await plannedChanges()).toEqual([]);
    await write({ ...full, tags: ["a", "b", "a"] });
    expect(await plannedChanges()).toEqual([]);
  });

  it.each([
    ["size", 4, "/size"],
    ["colour", "red", "/colour"],
    ["tags", ["c"], "/tags"],
    ["form", { material: "tin", sides: 4 }, "/form/sides"],
    ["labels", { team: "growth", tier: "1" }, "/labels/tier"],
    ["password", "herring", "/password"],
    ["name", "two", "/name"],
  ])("follows a change of %s in place", async (name, value, path) => {
    await write(full);
    await stack.apply();
    const id = storedWidget("one")?.id;
    const changed = { ...full, [name]: value };
    await write(changed);
    expect(await plannedChanges()).toEqual([`update Widget/mine ${path}`]);
    expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
    expect(area.widgets.get(id ?? 0)).toMatchObject({ [name]: value });
    expect(await plannedChanges()).toEqual([]);
  });

  it("sets an omitted field to its default, clears it, or keeps it, as declared", async () => {
    await write({ ...full, size: 9, colour: "red" });
    await stack.apply();
    await write({ name: "one", grade: "fine" });
    expect(await plannedChanges()).toEqual(["update Widget/mine /size /note"]);
    await stack.apply();
    expect(storedWidget("one")).toMatchObject({
      size: 3,
      note: null,
      colour: "red",
      tags: ["a", "b"],
    });
    expect(await plannedChanges()).toEqual([]);
  });

  it("is replaced where a field cannot change", async () => {
    await write(full);
    await stack.apply();
    const id = storedWidget("one")?.id;
    await write({ ...full, grade: "coarse" });
    expect(await plannedChanges()).toEqual(["replace Widget/mine /grade"]);
    await stack.apply();
    expect(storedWidget("one")).toMatchObject({ grade: "coarse", password: "swordfish" });
    expect(storedWidget("one")?.id).not.toBe(id);
    expect(await plannedChanges()).toEqual([]);
  });

  it("shows drift and repairs it, also of a name and of its existence", async () => {
    await write(full);
    await stack.apply();
    const mine = storedWidget("one");
    if (mine === undefined) throw new Error("it was not made");
    area.widgets.set(mine.id, { ...mine, name: "other", labels: { team: "ops" } });
    expect(await plannedChanges()).toEqual(["update Widget/mine /name /labels/team"]);
    expect(await driftDirections()).toEqual(["drifted"]);
    await stack.apply();
    expect(storedWidget("one")).toMatchObject(
      full.labels === undefined ? {} : { labels: full.labels },
    );
    area.widgets.delete(mine.id);
    expect(await plannedChanges()).toEqual(["create Widget/mine"]);
    await stack.apply();
    expect(await plannedChanges()).toEqual([]);
  });

  it("is refused while it has no owner, and adopted when that is asked for", async () => {
    await write(full);
    await stack.apply();
    await stack.loseInventory();
    await expect(stack.apply()).rejects.toThrow("nothing was written");
    expect(await stack.adopt()).toEqual(["Widget/mine", "Widget/anchor"]);
    // The password cannot be read, so it is written again.
    expect(await plannedChanges()).toEqual(["update Widget/mine /password"]);
    await stack.apply();
    expect(await plannedChanges()).toEqual([]);
  });

  it("is deleted once it is no longer declared", async () => {
    await write(full);
    await stack.apply();
    await stack.write([{ kind: "Widget", name: "anchor", spec: anchor }]);
    expect(await plannedChanges()).toEqual(["delete Widget/mine"]);
    await stack.apply();
    expect([...area.widgets.values()].map(({ name }) => name)).toEqual(["anchor"]);
  });

  it("writes no secret into the plan or the inventory", async () => {
    await write(full);
    const planned = await stack.plan();
    expect(JSON.stringify(planned.changes.map(({ fields }) => fields))).not.toContain("swordfish");
    await stack.apply();
    await write({ ...full, password: "herring" });
    const { changes: found } = await stack.plan();
    expect(JSON.stringify(found.map(({ fields }) => fields))).not.toContain("herring");
  });
});

describe("a kind whose server lacks an operation", () => {
  it("warns that a field stays as it is, and applies the rest", async () => {
    await write(full, "Relic");
    await stack.apply();
    const { note: _, ...rest } = full;
    await write({ ...rest, size: 5 }, "Relic");
    expect(await plannedChanges()).toEqual(["update Relic/mine /size"]);
    expect((await stack.diagnostics()).map(({ code }) => code)).toContain("cannot-clear");
    await stack.apply();
    expect(storedWidget("one")).toMatchObject({ note: "a note", size: 5 });
    expect(await plannedChanges()).toEqual([]);
  });

  it("is neither replaced nor pruned, and the reason is the API's own", async () => {
    await write(full, "Relic");
    await stack.apply();
    await write({ ...full, grade: "coarse" }, "Relic");
    const found = await stack.diagnostics();
    expect(found.find(({ code }) => code === "not-supported")?.summary).toContain("relics stay");
    await expect(stack.apply()).rejects.toThrow("nothing was written");
    await stack.write([{ kind: "Relic", name: "anchor", spec: anchor }]);
    await expect(stack.apply()).rejects.toThrow("nothing was written");
    expect(storedWidget("one")).toMatchObject({ grade: "fine" });
  });
});

describe("what is generated from declarations", () => {
  it("explains the kind, and has its fields in the schemas that editors read", () => {
    const explained = explain(kinds, "Widget.form");
    if ("unknown" in explained) throw new Error(explained.unknown);
    expect(explained.field?.doc).toBe("Form.");
    const text = JSON.stringify(documentSchema(widget));
    for (const name of Object.keys(full)) expect(text).toContain(`"${name}"`);
    expect(JSON.stringify(manifestSchema(kinds))).toContain("Widget");
  });

  it("describes the operations that are served, and no others", async () => {
    const { body } = await service.send("GET", "/api/v1/spec");
    const paths = (body as { paths: JsonObject }).paths;
    expect(Object.keys(paths)).toEqual(
      Object.keys(openapi(operations)["paths"] as JsonObject).concat("/api/v1/spec"),
    );
  });
});
