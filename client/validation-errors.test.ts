// Reading validation errors from error responses: every notation of a path, within limits.
import { expect, it } from "vitest";
import { limits } from "../core/limits/limits.ts";
import { validationErrorsIn } from "./validation-errors.ts";

const about = (...paths: readonly unknown[]) =>
  validationErrorsIn(
    { details: { errors: paths.map((path) => ({ path, message: "no" })) } } as never,
    ["sk-secret"],
  );

it.each([
  ["body.groups[2].name", "/body/groups/2/name"],
  ['body.values["a.b/c"].x', "/body/values/a.b~1c/x"],
  ["/body/groups/2/a~1b", "/body/groups/2/a~1b"],
  ["name", "/name"],
  ["body.sk-secret", "/body/•••"],
  ["body.a\u202eb", "/body/a b"],
])("reads %j", (path, pointer) => {
  expect(about(path)).toEqual([{ path: pointer, message: "no" }]);
});

it.each([5, "", "a..b", "a[x]", "a[", 'a["\\x"]', "a.".repeat(300), `a${".b".repeat(64)}`, null])(
  "passes over %j",
  (path) => {
    expect(about(path)).toEqual([]);
  },
);

it.each([undefined, "no", [], {}, { errors: "no" }, { details: { errors: { 0: {} } } }])(
  "finds none in %j",
  (body) => {
    expect(validationErrorsIn(body as never, [])).toEqual([]);
  },
);

it("reads errors in addition to the message, limited in number and length, without secrets", () => {
  const error = { path: "body.name", message: `sk-secret ${"x".repeat(5000)}` };
  const read = validationErrorsIn({ errors: Array.from({ length: 1000 }, () => error) }, [
    "sk-secret",
  ]);
  expect(read).toHaveLength(limits.validationErrors);
  expect(read[0]?.message.length).toBeLessThan(600);
  expect(read[0]?.message).not.toContain("sk-secret");
  expect(validationErrorsIn({ errors: [{ path: "body.name", message: ["no"] }, 7] }, [])).toEqual(
    [],
  );
});
