// Validation errors of request members, mapped to the spec fields that they come from.
import { describe, expect, it } from "vitest";
import { Failure } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { ObjectWrite, Binding } from "../core/kind/kind.ts";
import { withFieldOrigins, type CallRecord } from "./field-origin.ts";

const spec: JsonObject = {
  name: "a",
  own: ["x", "y"],
  shared: ["z"],
  release: { channel: "latest", version: "1.2.3" },
};

/** A codec that renames, joins and nests. */
const input: Binding["input"] = ([subject]) => {
  const desired = subject?.spec ?? {};
  const release = desired["release"] as JsonObject | undefined;
  const lists = ["own", "shared"].map((name) => desired[name] as readonly JsonValue[] | undefined);
  return {
    params: { id: 5 },
    body: {
      things: [{ name: desired["name"], groups: lists.flatMap((list) => list ?? []) }],
      releaseChannel: release?.["channel"],
      ...(release?.["version"] !== undefined && { releaseVersion: release["version"] }),
    },
  };
};

function callRecord(over: Partial<CallRecord> = {}): CallRecord {
  const subject: ObjectWrite = { spec, live: undefined, changed: new Set(Object.keys(spec)) };
  return { binding: { input }, write: subject, prerequisiteValue: undefined, ...over };
}

function validationFailure(...paths: readonly string[]): Failure {
  const errors = paths.map((path) => ({ path, message: "must be better" }));
  return new Failure("invalid", "all of it", { details: { status: 400, errors } });
}

const pathsOf = (failure: Failure): readonly string[] =>
  failure.validationErrors.map(({ path }) => path);

describe("a refused member", () => {
  it.each([
    ["/body/things/0/name", "/name"],
    ["/body/things/0/groups/1", "/own/1"],
    ["/body/things/0/groups/2", "/shared/0"],
    ["/body/releaseChannel", "/release/channel"],
    ["/body/releaseVersion", "/release/version"],
    ["/body/things/0/shared", "/shared"],
  ])("%s is the field %s", (path, field) => {
    expect(pathsOf(withFieldOrigins(validationFailure(path), callRecord()))).toEqual([field]);
  });

  it.each(["/body", "/path/id", "/body/elsewhere", "/body/things/7/name/first"])(
    "%s comes from no field",
    (path) => {
      const failure = validationFailure(path);
      expect(withFieldOrigins(failure, callRecord())).toBe(failure);
    },
  );

  it("that is sent as null is the field that has it", () => {
    const clearing: Binding["input"] = ([subject]) => {
      const folder = subject?.spec["folder"];
      return { body: { ...(folder !== undefined && { folderId: folder }) } };
    };
    const write: ObjectWrite = {
      spec: { ...spec, folder: null },
      live: undefined,
      changed: new Set(["folder"]),
    };
    const call = callRecord({ binding: { input: clearing }, write });
    expect(pathsOf(withFieldOrigins(validationFailure("/body/folderId"), call))).toEqual([
      "/folder",
    ]);
  });

  it("is kept in addition to those with a known field", () => {
    const { validationErrors, details, message } = withFieldOrigins(
      validationFailure("/body", "/body/things/0/name"),
      callRecord(),
    );
    expect(validationErrors).toEqual([
      { path: "", message: "body: must be better" },
      { path: "/name", message: "must be better" },
    ]);
    expect({ details, message }).toMatchObject({ details: { status: 400 }, message: "all of it" });
  });

  it("has no field if the codec requires every field", () => {
    const strict: Binding["input"] = (subjects, fact) => {
      if (Object.values(subjects[0]?.spec ?? {}).includes(undefined)) throw new Error("needed");
      return input(subjects, fact);
    };
    const failure = validationFailure("/body/releaseChannel");
    expect(pathsOf(withFieldOrigins(failure, callRecord({ binding: { input: strict } })))).toEqual(
      [],
    );
  });
});
