// Every command that is derived from an operation: called against the real service with the sample of its operation.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import { areas } from "../../cli/areas/index.ts";
import type { OperationCommand } from "../../cli/operations/command.ts";
import { type Member, requestMembers } from "../../cli/operations/members.ts";
import type { JsonObject } from "../../core/json.ts";
import { runSvc } from "../golden/run-cli.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampleOf } from "./sample-requests.ts";
import type { Sample } from "./sample.ts";

const loaded = await Promise.all(areas.map(({ load }) => load()));
const commands = loaded.flatMap(({ name, commands: all }) =>
  all.map((command) => ({ name: `${name} ${command.verb}`.trim(), command })),
);

/** Operations that other commands call, or that are for programs. */
const otherCommands: Readonly<Record<string, string>> = {
  startUpload: "svc deploy",
  uploadFile: "svc deploy",
  finishUpload: "svc deploy",
  validateDataModel: "svc validate",
  validateDataModelFiles: "svc plan",
  getSpec: "svc spec",
  receiveGitWebhook: "the Git provider",
  deleteUserGroup: "svc groups delete calls deleteGroup",
  getState: "the inventory",
  putState: "the inventory",
  deleteState: "the inventory",
  listStates: "the inventory",
  listStateVersions: "the inventory",
  getStateLock: "the inventory",
  lockState: "the inventory",
  unlockState: "svc inventory unlock",
  appendStateJournal: "the inventory",
  listStateJournal: "the inventory",
};

/** Arguments and options that are no members of the request. */
const extraArguments: Readonly<Record<string, readonly string[]>> = {
  "data-model get": ["model/README.md"],
  "data-model put": ["model/cubes/a.yml"],
  "data-model delete": ["model/cubes/a.yml"],
  "data-model rename": ["model/cubes/a.yml", "model/b.yml"],
  "variables set": ["REGION=EMEA", "EMPTY="],
  "groups users add": ["1", "admin@svc.localhost"],
  "groups users remove": ["1"],
};

let service: ResettableService;
beforeAll(async () => {
  service = await startResettableService();
});
afterAll(() => service.close());

const run = (args: readonly string[], input = "") =>
  runSvc(args, { env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey }, input });

describe("the commands", () => {
  it("call every operation that no other command calls", () => {
    const called = new Set(commands.map(({ command }) => command.operation.id));
    const missing = operations.filter(({ id }) => !called.has(id)).map(({ id }) => id);
    expect(missing.toSorted()).toEqual(Object.keys(otherCommands).toSorted());
  });

  it.each(commands)("svc $name prints the answer of its operation", async ({ name, command }) => {
    await service.reset();
    const sample = await sampleOf(command.operation.id, service);
    const args = [...name.split(" "), ...argumentsOf(command, sample, extraArguments[name])];
    const json = await run([...args, "--json"], "cubes: []");
    expect({ args, ...json }).toEqual({ args, code: 0, err: "", out: expect.any(String) });
    expect(JSON.parse(json.out)).toEqual(shapeOf(command));
    if (command.operation.effect !== "read") return;
    const table = await run([...args, "--output", "table"]);
    expect([table.code, table.err]).toEqual([0, ""]);
  });
});

/** A list is its items and the page, and CSV one text; anything else is an object. */
function shapeOf({ operation: { list, contentType }, run: own }: OperationCommand): unknown {
  if (contentType === "text/csv") return expect.any(String);
  if (list === undefined || own !== undefined) return expect.any(Object);
  if (list === "array") return expect.any(Array);
  return { items: expect.any(Array), pageInfo: expect.any(Object) };
}

/** The command line of a sample: arguments, a flag for each simple member, and --data for the rest. */
function argumentsOf(
  command: OperationCommand,
  sample: Sample,
  extra: readonly string[] = [],
): readonly string[] {
  const url = new URL(sample.path, "http://service");
  const given: Readonly<Record<Member["part"], JsonObject>> = {
    params: paramsIn(command.operation.path, url.pathname),
    query: Object.fromEntries(url.searchParams),
    body: (sample.body ?? {}) as JsonObject,
  };
  const members = requestMembers(command);
  const positional = members.arguments.flatMap(({ part, name }) => texts(given[part][name]));
  const flags = members.flags.flatMap((member) => flagOf(member, given[member.part][member.name]));
  const rest = Object.entries(given.body).filter(
    ([name]) =>
      members.dataOnly.includes(name) || (given.body[name] === null && name !== "branchId"),
  );
  const hasData = rest.length > 0 && command.complete === undefined && command.fixed === undefined;
  return [
    ...positional,
    ...extra,
    ...flags,
    ...(hasData ? ["--data", JSON.stringify(Object.fromEntries(rest))] : []),
    ...((command.confirm ?? command.operation.method === "DELETE") ? ["--yes"] : []),
  ];
}

function flagOf({ label, type, isList, value }: Member, given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  if (value !== undefined) return given === value ? [label] : [];
  if (type === "boolean" && !isList) {
    return [given === true || given === "true" ? label : `--no-${label.slice(2)}`];
  }
  return texts(given).flatMap((text) => [label, text]);
}

function texts(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(String);
}

function paramsIn(template: string, path: string): JsonObject {
  const parts = path.split("/");
  return Object.fromEntries(
    template.split("/").flatMap((part, at) => {
      const name = /^\{(.+)\}$/u.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? "")]];
    }),
  );
}
