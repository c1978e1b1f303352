// Documents of live objects: references by name, missing secrets, and objects that get none.
import { expect, it } from "vitest";
import {
  desiredObject,
  house,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { documentsOf, type ExportFilter } from "./documents.ts";

const ulm = { kind: town, id: "1", spec: { name: "ulm", motto: "pay ${all}" } };
const home = { kind: house, id: "2", spec: { town: "ulm", name: "one" } };

const exported = (
  objects: Parameters<typeof liveFrom>[0],
  filter: ExportFilter = {},
  kinds = townKinds,
) => documentsOf(liveFrom(objects), kinds, filter);

it("refers to exported objects by document name, and to others as external", () => {
  const { documents } = exported([ulm, home]);
  expect(documents.map(({ kind, name, spec }) => [kind.name, name, spec])).toEqual([
    ["Town", "ulm", { name: "ulm", motto: "pay $${all}" }],
    ["House", "ulm-one", { town: "ulm", name: "one" }],
  ]);
  const [alone] = exported([ulm, home], {}, [house]).documents;
  expect(alone?.spec["town"]).toEqual({ external: "ulm" });
});

it("keeps the names of declared documents, and the files of their parents", () => {
  const declared = [desiredObject(town, "home-town", { spec: { name: "ulm" } })];
  const { documents } = exported([ulm, home], { declared });
  expect(documents.map(({ name, parentPath }) => [name, parentPath])).toEqual([
    ["home-town", "towns/home-town"],
    ["ulm-one", "towns/home-town"],
  ]);
  expect(documents[1]?.spec["town"]).toBe("home-town");
});

it("writes no document for objects of other stacks, nor for undeclared ones if only declared are asked for", () => {
  const names = (filter: ExportFilter) =>
    exported([ulm, home], filter).documents.map(({ key }) => key);
  expect(names({ ownedElsewhere: new Set(["Town/ulm"]) })).toEqual(["ulm/one"]);
  expect(names({ onlyDeclared: true })).toEqual([]);
});

it("writes no secret, and says once which fields the API does not return", () => {
  const { documents, diagnostics } = exported([
    { ...ulm, spec: { name: "ulm", code: "hunter2" } },
    { kind: town, id: "3", spec: { name: "bonn" } },
  ]);
  expect(JSON.stringify(documents.map(({ spec }) => spec))).not.toContain("hunter2");
  expect(diagnostics.map(({ summary }) => summary)).toEqual([
    "the API does not return code of 2 Towns; the manifests omit it, and apply keeps what the server has",
  ]);
});

it("reports objects with one key, of which no document can name one", () => {
  const { documents, diagnostics } = exported([ulm, { ...ulm, id: "9" }]);
  expect(documents).toEqual([]);
  expect(diagnostics).toMatchObject([
    { code: "ambiguous-live", summary: expect.stringContaining("(ids 1, 9)") },
  ]);
});
