// Tests that the page about the controller documents every member of its configuration.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { controllerSchema } from "../../controller/config-schema.ts";
import { isObject, type JsonValue } from "../../core/json.ts";

/** Returns the names of the members of a schema. Grants and checks have pages of their own, and secrets are named by `env` or `file`. */
function memberNames(schema: JsonValue | undefined): readonly string[] {
  if (!isObject(schema)) return [];
  const { properties, items } = schema;
  const own = isObject(properties) ? Object.entries(properties) : [];
  const named = own.flatMap(([name, member]) =>
    ["grants", "healthChecks"].includes(name) ? [name] : [name, ...memberNames(member)],
  );
  return [...named, ...memberNames(items)];
}

it("documents every member of the configuration", () => {
  const page = readFileSync(
    join(import.meta.dirname, "../../docs/reference/controller.md"),
    "utf8",
  );
  const names = new Set(memberNames(controllerSchema()));
  names.delete("$schema");
  expect(names.size).toBeGreaterThan(20);
  const missing = [...names].filter(
    (name) => !new RegExp(`\\b${name}\\b\`|\\b${name}:\\s`, "u").test(page),
  );
  expect(missing).toEqual([]);
});
