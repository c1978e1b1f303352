// Tests that the page about the data-model language has every key that the compiler knows and no other, in the section of its
// object, and that its examples are a valid model.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { isObject, type JsonValue } from "../../core/json.ts";
import { compileFiles } from "../../service/model/compile.ts";
import { ModelFileSchema, nestedSchemas } from "../../service/model/schema.ts";
import { stepsOf } from "./page.ts";

const page = readFileSync(
  join(import.meta.dirname, "../../docs/reference/data-model-language.md"),
  "utf8",
);

/** The objects that nested schemas belong to: those that the schema of a file does not contain itself. */
const placesOfNested: Readonly<Record<keyof typeof nestedSchemas, readonly string[]>> = {
  filter: [
    "cubes[].access_policy[].row_level.filters[]",
    "views[].access_policy[].row_level.filters[]",
    "cubes[].measures[].filter.include[]",
  ],
  folder: ["views[].folders[]"],
  viewGroup: ["view_groups[].includes[]"],
  joinPath: ["views[].folders[].includes[]"],
};

/** A key that a schema knows, with the text values that its schema lists. */
interface Key {
  readonly path: string;
  readonly isRequired: boolean;
  readonly values: readonly string[];
}

/** Returns the keys of a schema: `cubes[].name`. */
function keysOf(schema: JsonValue | undefined, at: string): readonly Key[] {
  if (!isObject(schema)) return [];
  const { properties, required = [], items, anyOf = [] } = schema;
  const own = isObject(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, value]): readonly Key[] => {
      const path = at === "" ? name : `${at}.${name}`;
      const isRequired = [required].flat().includes(name);
      return [{ path, isRequired, values: valuesOf(value) }, ...keysOf(value, path)];
    }),
    ...[anyOf].flat().flatMap((one) => keysOf(one, at)),
    ...keysOf(items, `${at}[]`),
  ];
}

/** Returns the texts that a value can be, as far as its schema lists them. */
function valuesOf(schema: JsonValue | undefined): readonly string[] {
  if (!isObject(schema)) return [];
  const own = [schema["enum"] ?? [], schema["const"] ?? []].flat().map(String);
  return [...own, ...[schema["anyOf"] ?? []].flat().flatMap(valuesOf)];
}

const asJson = (schema: object) => JSON.parse(JSON.stringify(schema)) as JsonValue;

const nested = Object.entries(nestedSchemas).flatMap(([name, schema]) =>
  placesOfNested[name as keyof typeof nestedSchemas].flatMap((at) => keysOf(asJson(schema), at)),
);
/** Every key by its path. */
const keys = new Map(
  [...keysOf(asJson(ModelFileSchema), ""), ...nested].map((key) => [key.path, key]),
);

/** A section that documents an object, which can be at several paths. */
interface Section {
  readonly heading: string;
  readonly paths: readonly string[];
  /** Its text with tables, without examples. */
  readonly text: string;
  readonly examples: readonly string[];
}

const sections = page.split(/^(?=#{2,3} )/mu).flatMap((text): readonly Section[] => {
  const [, named] = /^Path: (.+)\.$/mu.exec(text) ?? [];
  if (named === undefined) return [];
  const [heading = ""] = text.split("\n");
  const spans = codeSpans(named);
  return [
    {
      heading,
      paths: spans.length === 0 ? [""] : spans,
      text: text.replace(/^```[^]*?^```$/gmu, ""),
      examples: stepsOf(text).flatMap((step) => (step.step === "file" ? [step.content] : [])),
    },
  ];
});

function codeSpans(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, span = ""]) => span);
}

/** Returns the keys in the table of a section, as `path` or `path (required)`, for each path of its object. */
function documentedKeys({ text, paths }: Section): readonly string[] {
  const [, table = ""] = /^\| key \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/mu.exec(text) ?? [];
  const cells = [...table.matchAll(/^\| (.*?) \|/gmu)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`( \(required\))?/gu)]);
  return paths.flatMap((path) =>
    names.map(([, name, required = ""]) => `${path === "" ? "" : `${path}.`}${name}${required}`),
  );
}

it("has every key in the table of its object, once, with whether it is required, and no other key", () => {
  const known = [...keys.values()].map(
    ({ path, isRequired }) => `${path}${isRequired ? " (required)" : ""}`,
  );
  expect(known.length).toBeGreaterThan(200);
  expect(page.match(/^\| key \|/gmu)).toHaveLength(sections.length);
  expect(sections.flatMap(documentedKeys).toSorted()).toEqual(known.toSorted());
});

it("names every value of a key in the section of its object", () => {
  const missing = sections.flatMap((section) => {
    const named = new Set(codeSpans(section.text).map((span) => span.replace(/^"(.*)"$/u, "$1")));
    return documentedKeys(section)
      .flatMap((path) => keys.get(path.replace(/ \(required\)$/u, "")) ?? [])
      .flatMap(({ path, values }) =>
        values.filter((value) => !named.has(value)).map((value) => `${path}: ${value}`),
      );
  });
  expect(missing).toEqual([]);
});

it("has an example of every object in its section", () => {
  const without = sections.filter(
    ({ paths, examples }) =>
      !examples.some((text) => paths.some((path) => has(parse(text) as JsonValue, path))),
  );
  expect(without.map(({ heading }) => heading)).toEqual([]);
});

/** Returns whether a value has an object at a path. */
function has(value: JsonValue | undefined, path: string): boolean {
  if (path === "") return isObject(value);
  const [name = "", ...rest] = path.split(".");
  const found = isObject(value) ? value[name.replace(/\[\]$/u, "")] : undefined;
  return [found].flat().some((one) => has(one, rest.join(".")));
}

it("has examples that compile together, without errors and warnings", async () => {
  const files = stepsOf(page).flatMap((step) => (step.step === "file" ? [step] : []));
  expect(files).toHaveLength(page.match(/^```(?:yaml|javascript|jinja)$/gmu)?.length ?? 0);
  expect(files.length).toBeGreaterThan(10);
  const { model, errors, warnings } = await compileFiles(files);
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(model).toBeDefined();
});
