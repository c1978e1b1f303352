// Tests that a validator of the build reports the same errors as a validator that is compiled at run time.
import { createRequire } from "node:module";
import vm from "node:vm";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { compile } from "../core/schema/validate.ts";
import { desiredSpecSchema } from "../core/kind/fields.ts";
import { customFormats } from "../core/schema/formats.ts";
import { deployment } from "../resources/deployment.ts";
import { validatorSource } from "./precompile-validators.ts";

const packages = createRequire(import.meta.url);
const formats = { default: { ...fullFormats, ...customFormats } };

function load(source: string): { (value: unknown): boolean; errors?: unknown } {
  const module = { exports: {} };
  const requireFrom = (name: string): unknown =>
    name === "svc-formats" ? formats : packages(name);
  vm.runInThisContext(`(function (module, require) { ${source} })`)(module, requireFrom);
  return module.exports as ReturnType<typeof load>;
}

const formatted = Type.Object({
  at: Type.String({ format: "date-time" }),
  url: Type.String({ format: "iri" }),
  zone: Type.String({ format: "time-zone" }),
  schedule: Type.Optional(Type.String({ format: "cron" })),
  name: Type.String({ maxLength: 3 }),
});

it.each([
  [
    "formats",
    formatted,
    { at: "now", url: "a b", zone: "Mars", name: "😀😀😀😀", schedule: "0 0 30 2 *" },
  ],
  [
    "valid formats",
    formatted,
    { at: "2026-01-31T09:30:00Z", url: "https://ü/", zone: "UTC", name: "😀" },
  ],
  ["a kind", desiredSpecSchema(deployment), { name: 5, region: ["x"], unknown: true }],
  ["an example of a kind", desiredSpecSchema(deployment), deployment.examples[0]?.spec],
])("about %s", (_, schema, value) => {
  const validate = load(validatorSource(schema));
  for (const one of [value, {}, [], null, ""]) {
    const errors = compile(schema)(one);
    expect(validate(one)).toBe(errors.length === 0);
    expect(validate.errors ?? []).toEqual(errors);
  }
});
