// References that ended with a delete of the same run, which an undo does not set again.
import { expect, it } from "vitest";
import { appliedEntry, house, townKinds } from "../../test/support/plan-fixtures.ts";
import type { RunChange } from "../model/index.ts";
import { lostReferencesNote } from "./lost-references.ts";

const kinds = new Map(townKinds.map((kind) => [kind.name, kind]));
const [, entry] = appliedEntry(house, "tall", { spec: { town: "ulm", name: "tall" } });

function change(action: RunChange["action"], address: string, more: Partial<RunChange> = {}) {
  const [kind = "", name = ""] = address.split("/");
  return { action, address, kind, name, key: name, result: "done", ...more } as const;
}

/** Returns the note about `House/tall`, which was fond of `bonn` before a run with these changes. */
function note(
  changes: readonly RunChange[],
  more: Partial<Parameters<typeof lostReferencesNote>[1]> = {},
  own: Partial<RunChange> = { lastApplied: { twin: "bonn" } },
): string | undefined {
  const run = { id: "run", verb: "apply", by: "ann", startedAt: "", counts: {}, changes } as const;
  return lostReferencesNote(change("none", "House/tall", own), { run, entry, kinds, ...more });
}

const deletesBonn = change("delete", "Town/old", { key: "bonn" });

it("a reference to what the run deleted is named, by the key of the deleted object", () => {
  expect(note([deletesBonn])).toBe(
    "the undo does not set twin to Town bonn again, which the run deleted",
  );
  expect(note([change("delete", "Town/bonn", { key: "other" })])).toBeUndefined();
});

it.each<[string, readonly RunChange[]]>([
  ["was not deleted", [change("update", "Town/bonn")]],
  ["could not be deleted", [{ ...deletesBonn, result: "failed" }]],
  ["is of another kind", [change("delete", "House/bonn")]],
])("a reference is not lost where the other object %s", (_, changes) => {
  expect(note(changes)).toBeUndefined();
});

it("references that the run did not end are not lost", () => {
  // The reference to `ulm` is in the entry today.
  expect(note([change("delete", "Town/ulm")])).toBeUndefined();
  expect(note([deletesBonn], {}, {})).toBeUndefined();
});

it("objects without an entry or a kind have no note", () => {
  expect(note([deletesBonn], { entry: undefined })).toBeUndefined();
  expect(note([deletesBonn], { kinds: new Map() })).toBeUndefined();
});

it("every lost reference is named", () => {
  const own = { lastApplied: { town: "kiel", twin: "bonn" } };
  expect(note([deletesBonn, change("delete", "Town/kiel")], {}, own)).toBe(
    "the undo does not set town to Town kiel, twin to Town bonn again, which the run deleted",
  );
});
