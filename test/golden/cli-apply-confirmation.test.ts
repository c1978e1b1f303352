// Tests which changes the command line asks to confirm, and which a freeze refuses.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validator } from "../../core/schema/validate.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { makeFolder } from "./run-cli.ts";
import { groups, slowTest, useStackSessions } from "./stack-sessions.ts";

const { env, makeStackFolder, run, liveGroups, service } = useStackSessions();

describe("confirmation", slowTest, () => {
  interface Confirmation {
    readonly status: string;
    readonly command: string;
    readonly deletes: number;
    readonly conflicts?: readonly string[];
  }

  it("is required without a terminal, and the error names the option", async () => {
    const stack = makeStackFolder(["one"]);
    const inText = await run(["apply", "."], stack);
    expect(inText.code).toBe(5);
    expect(inText.out).toContain("UserGroup/one");
    expect(inText.err).toBe(
      "error: no terminal to ask for confirmation: nothing was written [confirmation_required]\n" +
        "  To confirm, run: svc apply . --yes\n",
    );
    const { code, out, err } = await run(["apply", ".", "--json"], stack);
    expect(code).toBe(5);
    expect(validator(failureSchema())(JSON.parse(out))).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({
      format: 1,
      report: "failure",
      status: "confirmation_required",
      error: {
        code: "confirmation_required",
        remedy: "To confirm, run: svc apply . --json --yes",
      },
      command: "svc apply . --json --yes",
      writes: 1,
      deletes: 0,
    });
    expect(err).toContain("UserGroup/one");
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of changes does not include deletes beyond the limit of the stack", async () => {
    const stack = makeStackFolder(
      ["one", "two", "three"],
      "prune: true, maxDeletes: 1, maxDeletePercent: 100",
    );
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    stack.write({ "groups.yaml": groups(stack.name, ["one"]) });
    const refused = await run(["apply", "--yes", "--json"], stack);
    expect(refused.code).toBe(5);
    const answer = JSON.parse(refused.out) as Confirmation;
    expect(validator(failureSchema())(answer)).toEqual([]);
    const { command, status, deletes } = answer;
    expect([status, deletes]).toEqual(["refused", 2]);
    expect(answer).toMatchObject({
      error: {
        code: "refused",
        message: "the plan deletes or replaces 2 objects; the stack allows 1",
        remedy: `To confirm, run: ${command}`,
      },
      limit: 1,
      plan: { report: "plan", summary: { delete: 2 } },
    });
    expect(await liveGroups(stack.name)).toHaveLength(3);
    expect(command).toBe("svc apply --json --yes --allow-deletes 2");
    expect((await run(command.split(" ").slice(1), stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
  });

  it("names the conflicts and the deletes, and its command confirms both", async () => {
    const stack = makeStackFolder(["one"], "prune: true, maxDeletes: 1, maxDeletePercent: 100");
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    stack.write({ "groups.yaml": groups(stack.name, ["one", "two", "three"]) });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    const later = groups(stack.name, ["one", "two", "three"]);
    stack.write({
      "groups.yaml": later.replace("two, description: declared", "two, description: x"),
    });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    const { runs } = JSON.parse((await run(["history", "--json"], stack)).out) as {
      readonly runs: readonly { readonly id: string }[];
    };
    const undo = ["undo", runs[1]?.id ?? "", "--yes", "--json"];
    const { code, out, err } = await run(undo, stack);
    expect(code, err).toBe(5);
    expect(err).toContain("changed again after run");
    const { command, conflicts, ...facts } = JSON.parse(out) as Confirmation;
    expect(conflicts).toEqual(["UserGroup/two"]);
    expect(facts).toMatchObject({ limit: 1, plan: { summary: { delete: 2 } } });
    expect(command).toMatch(/ --yes --allow-deletes 2 --on-conflict overwrite$/u);
    const confirmed = await run(command.split(" ").slice(1), stack);
    expect(confirmed.code, confirmed.err).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
  });

  it("of deletes prints no command that overwrites what was changed on the server", async () => {
    const stack = makeStackFolder(
      ["one", "two", "three"],
      "prune: true, maxDeletes: 1, maxDeletePercent: 100",
    );
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    const live = await liveGroups(stack.name);
    const changed = live.find(({ name }) => name === `${stack.name}-one`);
    const body = { description: "theirs" };
    await service().send("PATCH", `/api/v1/user-groups/${changed?.id}`, { body });
    const left = groups(stack.name, ["one"]);
    stack.write({ "groups.yaml": left.replace("description: declared", "description: mine") });
    const { code, out, err } = await run(["apply", "--yes", "--json"], stack);
    expect(code, err).toBe(5);
    expect(err).toContain("changed both in the manifests and on the server: UserGroup/one");
    const answer: unknown = JSON.parse(out);
    expect(validator(failureSchema())(answer)).toEqual([]);
    expect(answer).toMatchObject({ deletes: 2, conflicts: ["UserGroup/one"] });
    expect(answer).not.toHaveProperty("command");
    const inText = await run(["apply", "--yes"], stack);
    expect(inText.out).not.toContain("To confirm");
    expect(inText.err).toContain("See `svc drift`; pass --on-conflict overwrite");
    const planned = await run(["plan"], stack);
    expect(planned.out).toContain(", 1 conflict, ");
    expect(planned.err).toContain("without a terminal, svc apply fails");
    const saved = await run(["plan", "--out", "plan.json"], stack);
    expect(saved.err).toContain("svc apply plan.json overwrites the live values");
    expect(await liveGroups(stack.name)).toHaveLength(3);
  });

  it("includes deletes within the limit of the stack", async () => {
    const stack = makeStackFolder(
      ["one", "two"],
      "prune: true, maxDeletes: 1, maxDeletePercent: 100",
    );
    await run(["apply", "--yes"], stack);
    stack.write({ "groups.yaml": groups(stack.name, ["one"]) });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
  });
});

describe("a freeze", slowTest, () => {
  it("shows the plan, asks for no confirmation and writes nothing", async () => {
    const freeze = '{ to: 2999-01-01T00:00:00Z, reason: "end of the year", owner: "ops" }';
    const stack = makeStackFolder(["one"], `freezes: [${freeze}]`);
    expect((await run(["plan", "--detailed-exitcode"], stack)).code).toBe(2);
    const { code, out, err } = await run(["apply", "--yes"], stack);
    expect(code, err).toBe(6);
    expect(out).toContain("UserGroup/one");
    expect(err).toContain(
      "error: changes are not allowed now: a freeze of the Stack (end of the year)",
    );
    expect(err).toContain("No window opens within a year, or ask ops");
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of the operator is read from the grants file, and errors in that file are reported", async () => {
    const stack = makeStackFolder(["one"]);
    const grants = makeFolder({
      "grants.yaml": "freezes:\n  - { to: 2999-01-01T00:00:00Z, reason: audit, owner: ops }\n",
      "wrong.yaml": "maxDelete: 3\nwindows:\n  - { effect: allow }\n",
    });
    const env6 = { ...env(), SVC_GRANTS: join(grants.path, "grants.yaml") };
    expect((await run(["apply", "--yes"], stack, { env: env6 })).code).toBe(6);
    const { code, err } = await run(["plan", "--grants", join(grants.path, "wrong.yaml")], stack);
    grants.remove();
    expect(code).toBe(64);
    expect(err).toContain('1:1: "maxDelete" is not a known field');
    stack.write({ "grants.yaml": "maxDeletes: 1000\n" });
    const own = await run(["plan", "--grants", "grants.yaml"], stack);
    expect([own.code, own.err]).toEqual([1, expect.stringContaining("not-granted")]);
  });
});
