// Renames in place: which references follow, and that child objects of a renamed parent can be found.
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../core/kind/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { kinds } from "../../resources/index.ts";
import { diffInputs } from "./diff-inputs.ts";
import { createRenameTracker } from "./rename-tracker.ts";

function kindNamed(name: string): Kind {
  const kind = kindsByName(kinds).get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

const workbook = kindNamed("Workbook");
const notification = kindNamed("Notification");

/** Returns the fields of a notification that follow a rename of its workbook. */
function followed(
  renames: ReturnType<typeof createRenameTracker>,
  before: JsonObject,
  after: JsonObject,
) {
  return [
    ...renames.fieldsFollowingRenames(
      notification,
      { before, after },
      diffInputs(notification, after, before),
    ),
  ];
}

describe("rename tracker", () => {
  it("are followed only by objects that reference the renamed object in its own collection", () => {
    const renames = createRenameTracker();
    const specOf = (deployment: string, slug: string): JsonObject => ({ deployment, slug });
    renames.record(workbook, { before: specOf("main", "sales"), after: specOf("main", "revenue") });
    const from = (deployment: string): JsonObject => ({ deployment, workbook: "sales" });
    const to = (deployment: string): JsonObject => ({ deployment, workbook: "revenue" });
    expect(followed(renames, from("main"), to("main"))).toEqual(["workbook"]);
    expect(followed(renames, from("other"), to("other"))).toEqual([]);
    expect(followed(renames, from("main"), { ...to("main"), workbook: "costs" })).toEqual([]);
    expect(followed(renames, to("main"), from("main"))).toEqual([]);
    expect(followed(createRenameTracker(), from("main"), to("main"))).toEqual([]);
  });

  it("ignores an update that keeps the name", () => {
    const renames = createRenameTracker();
    const before = { deployment: "main", slug: "sales", name: "Sales" };
    renames.record(workbook, { before, after: { ...before, name: "Revenue" } });
    const desired = { deployment: "main", workbook: "sales" };
    expect(followed(renames, desired, desired)).toEqual([]);
  });
});

const renamable = new Set(
  kinds
    .filter((kind) =>
      fieldsOf(kind).some(
        ({ name, traits }) => kind.key.includes(name) && traits.onChange === undefined,
      ),
    )
    .map(({ name }) => name),
);
const childKinds = kinds.flatMap((kind) =>
  fieldsOf(kind)
    .filter(({ name, traits }) => kind.scope.includes(name) && renamable.has(traits.refersTo ?? ""))
    .map(({ name }): [string, string] => [kind.name, name]),
);

it.each(childKinds)(
  "%s has a status field with the id of its %s, which can be renamed",
  (kindName, field) => {
    expect(Object.keys(kindNamed(kindName).status.properties)).toContain(`${field}Id`);
  },
);
