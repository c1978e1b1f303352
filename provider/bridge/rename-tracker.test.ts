// Renames in place: who follows, who does not, and that everything below what can be renamed can be found again.
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { kinds } from "../../resources/index.ts";
import { diffInputs } from "./diff-inputs.ts";
import { createRenameTracker } from "./rename-tracker.ts";

function kindNamed(name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`there is no ${name}`);
  return kind;
}

const workbook = kindNamed("Workbook");
const notification = kindNamed("Notification");

/** The fields of a notification that follow when it goes from one workbook to another. */
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

describe("renames", () => {
  it("are followed by who names the object in its own collection, and by nobody else", () => {
    const renames = createRenameTracker();
    const named = (deployment: string, slug: string): JsonObject => ({ deployment, slug });
    renames.record(workbook, { before: named("main", "sales"), after: named("main", "revenue") });
    const from = (deployment: string): JsonObject => ({ deployment, workbook: "sales" });
    const to = (deployment: string): JsonObject => ({ deployment, workbook: "revenue" });
    expect(followed(renames, from("main"), to("main"))).toEqual(["workbook"]);
    expect(followed(renames, from("other"), to("other"))).toEqual([]);
    expect(followed(renames, from("main"), { ...to("main"), workbook: "costs" })).toEqual([]);
    expect(followed(renames, to("main"), from("main"))).toEqual([]);
    expect(followed(createRenameTracker(), from("main"), to("main"))).toEqual([]);
  });

  it("are none where the name stays", () => {
    const renames = createRenameTracker();
    const before = { deployment: "main", slug: "sales", name: "Sales" };
    renames.record(workbook, { before, after: { ...before, name: "Revenue" } });
    const wish = { deployment: "main", workbook: "sales" };
    expect(followed(renames, wish, wish)).toEqual([]);
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
const below = kinds.flatMap((kind) =>
  fieldsOf(kind)
    .filter(({ name, traits }) => kind.scope.includes(name) && renamable.has(traits.refersTo ?? ""))
    .map(({ name }): [string, string] => [kind.name, name]),
);

it.each(below)("%s tells the id of its %s, which can be renamed", (kindName, field) => {
  expect(Object.keys(kindNamed(kindName).status.properties)).toContain(`${field}Id`);
});
