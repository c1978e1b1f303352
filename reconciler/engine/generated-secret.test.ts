// Tests the messages of a plan about generated secrets, and the files where it expects them.
import { describe, expect, it } from "vitest";
import type { Kind } from "../../core/kind/kind.ts";
import {
  appliedEntry,
  desiredObject,
  fingerprints,
  town,
} from "../../test/support/plan-fixtures.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import type { Action, DesiredObject, Entry } from "../model/index.ts";
import {
  deletedSinks,
  type GeneratedSecretContext,
  isSecretLost,
  sinkAfter,
  sinkNotes,
  sinkObstacles,
} from "./generated-secret.ts";

const keyed: Kind = { ...town, generatedSecret: { name: "token" } as Kind["generatedSecret"] };
const file = "secrets/ulm";
const ulm: DesiredObject = {
  ...desiredObject(keyed, "ulm", { spec: { name: "ulm" } }),
  secretTo: file,
};
const fingerprintOf = (secret: string): string => fingerprints.of(secret, true);

function entry(more: Partial<Entry> = {}): Entry {
  return { ...appliedEntry(town, "ulm", { spec: { name: "ulm" } })[1], ...more };
}

/** The state of a secret whose file holds `stored`. */
function context(
  stored: string | undefined,
  more: Partial<GeneratedSecretContext> = {},
): GeneratedSecretContext {
  const sink = {
    storedFingerprint: stored === undefined ? undefined : fingerprintOf(stored),
    storedMatches: (prefix: string) => stored?.startsWith(prefix) === true,
    obstacle: undefined,
  };
  const known = entry({ secretTo: { file, fingerprint: fingerprintOf("one") } });
  return {
    entry: known,
    observed: undefined,
    sink,
    deletedEntry: undefined,
    fingerprints,
    displayPath: undefined,
    ...more,
  };
}

it("is lost if the run that created the object did not store it", () => {
  expect(isSecretLost(ulm, entry({ pending: true }))).toBe(true);
  expect(
    isSecretLost(
      ulm,
      entry({ pending: true, secretTo: { file, fingerprint: fingerprintOf("one") } }),
    ),
  ).toBe(false);
  expect(isSecretLost(ulm, entry())).toBe(false);
  expect(isSecretLost({ ...ulm, kind: town }, entry({ pending: true }))).toBe(false);
});

describe("the place of a secret", () => {
  it("is the declared file after a create, without a fingerprint yet", () => {
    expect(sinkAfter(ulm, "create", context(undefined))).toEqual({ file });
  });

  it("moves to another declared file once that holds the secret", () => {
    const moved = { ...ulm, secretTo: "secrets/new" };
    expect(sinkAfter(moved, undefined, context("one"))?.file).toBe("secrets/new");
    expect(sinkAfter(moved, undefined, context("other"))?.file).toBe(file);
  });
});

describe("a file that holds something", () => {
  const codes = (action: Action, given: GeneratedSecretContext) =>
    sinkObstacles(ulm, action, given).map(({ code, severity }) => [code, severity]);
  const error = [["sink-unusable", "error"]];

  it("is not overwritten by a create", () => {
    expect(codes("create", context("other", { entry: undefined }))).toEqual(error);
    expect(codes("create", context(undefined, { entry: undefined }))).toEqual([]);
    expect(codes("update", context("other", { entry: undefined }))).toEqual([]);
  });

  it("is overwritten if it is of this object, or of one that the plan deletes", () => {
    expect(codes("replace", context("other"))).toEqual([]);
    const deletedEntry = entry({ secretTo: { file, fingerprint: fingerprintOf("old") } });
    expect(codes("create", context("old", { entry: undefined, deletedEntry }))).toEqual([]);
    expect(codes("create", context("other", { entry: undefined, deletedEntry }))).toEqual(error);
  });
});

describe("a note", () => {
  const notes = (action: Action | undefined, given: GeneratedSecretContext) =>
    sinkNotes(ulm, action, given).map(({ code }) => code);

  it("names a file that is missing or has other content", () => {
    expect(notes(undefined, context("one"))).toEqual([]);
    expect(notes(undefined, context(undefined))).toEqual(["sink-drift"]);
    expect(notes(undefined, context("other"))).toEqual(["sink-drift"]);
  });

  it("trusts what the server shows of the current secret over the fingerprint", () => {
    const secret = { name: "token", prefixField: "prefix" } as Kind["generatedSecret"];
    const shown = { ...ulm, kind: { ...keyed, generatedSecret: secret } };
    const observed = { id: "1", spec: {}, status: { prefix: "two" } };
    const codes = (stored: string) =>
      sinkNotes(shown, undefined, context(stored, { observed })).map(({ code }) => code);
    expect(codes("two-rotated")).toEqual([]);
    expect(codes("one")).toEqual(["sink-drift"]);
  });

  it("says that an adopted object comes without its secret, and that a replace makes a lost one again", () => {
    expect(notes("adopt", context(undefined, { entry: undefined }))).toEqual(["secret-unknown"]);
    expect(notes("adopt", context("one", { entry: undefined }))).toEqual([]);
    const lost = entry({ pending: true });
    expect(notes("replace", context(undefined, { entry: lost }))).toEqual(["secret-lost"]);
  });
});

it("knows the files of deleted objects, also by the parent that they are deleted with", () => {
  const entries = {
    "Town/a": entry({ secretTo: { file: "a" } }),
    "Town/b": entry({ secretTo: { file: "b" } }),
    "Town/c": entry({ secretTo: { file: "c" } }),
  };
  const found = deletedSinks(
    [
      sampleChange("delete", "Town/a"),
      sampleChange("delete", "Town/b", { cascadedBy: "Land/x" }),
      sampleChange("orphan", "Town/c"),
    ],
    entries,
  );
  expect([...found].map(([path, { deletedBy }]) => [path, deletedBy])).toEqual([
    ["a", "Town/a"],
    ["b", "Land/x"],
  ]);
});
