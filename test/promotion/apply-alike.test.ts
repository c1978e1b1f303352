// What holds for every apply holds for a promotion that is applied directly: policies, windows of the moment of writing, what a key may do.
import { describe, expect, it } from "vitest";
import { eachScene, patience } from "./each.ts";
import { builtinRules } from "../../reconciler/policy/builtin.ts";
import { judge, type Judge, type Severity } from "../../reconciler/policy/rule.ts";
import { readRules } from "../../reconciler/policy/file.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "../../resources/index.ts";
import { newest, older, type Scene } from "./scene.ts";

let scene: Scene;
eachScene((opened) => {
  scene = opened;
});

/** A policy file with one rule over each change: nothing may go to the newest version. */
function against(severity: Severity): Judge {
  const file = join(scene.stack.folder, ".svc", "policy.json");
  const fields = { not: { contains: { properties: { after: { const: newest } } } } };
  const schema = { properties: { fields } };
  const rule = { name: "not-yet", severity, message: "wait for it", over: "change", schema };
  writeFileSync(file, JSON.stringify({ rules: [rule] }));
  const rules = readRules(file);
  return (plan) => judge(plan, { rules, kinds });
}

describe("policies", patience, () => {
  it("keep a version out, and say why; nothing is written", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    const { failures } = await scene.promote({ judge: against("error") });
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      [
        "refused",
        expect.stringMatching(
          /^the plan of this promotion may not be applied: not-yet: wait for it \(Deployment\/dev\)/u,
        ),
      ],
    ]);
    expect(await scene.versions()).toMatchObject({ dev: older });
    // What was begun goes on as soon as nothing is held against it.
    expect((await scene.promote()).failures).toEqual([]);
    expect(await scene.versions()).toMatchObject({ dev: newest });
  });

  it("weigh as much as --fail-on says, and are told where they weigh less", async () => {
    await scene.pipeline([{}]);
    await scene.settle();
    const warned = await scene.promote({ judge: against("warning"), failOn: "warning" });
    expect(warned.failures.map(({ code }) => code)).toEqual(["refused"]);
    const { diagnostics, failures } = await scene.promote({ judge: against("warning") });
    expect(failures).toEqual([]);
    expect(diagnostics.filter(({ code }) => code === "policy-broken")).toMatchObject([
      { severity: "warning", address: "Deployment/dev" },
    ]);
    expect(await scene.versions()).toMatchObject({ dev: newest });
  });

  it("that come with svc find nothing in a promotion, and nothing in the next", async () => {
    await scene.pipeline([{}, {}]);
    await scene.settle();
    const rules: Judge = (plan) => judge(plan, { rules: builtinRules, kinds });
    const { diagnostics, failures } = await scene.promote({ judge: rules, failOn: "warning" });
    expect([failures, diagnostics]).toEqual([[], []]);
    await scene.promote({ to: "dev", version: older, judge: rules, failOn: "warning" });
    expect(await scene.versions()).toMatchObject({ dev: older, "staging-a": newest });
  });
});

describe("a window", patience, () => {
  it("that closes while a promotion is on its way keeps it from writing", async () => {
    const until = { from: "2026-03-02T09:00:01Z", to: "2026-03-03T00:00:00Z" };
    const freeze = { ...until, reason: "audit", owner: "ops" };
    await scene.pipeline([{ freezes: [freeze] }]);
    await scene.settle();
    // Time goes by with every question of the server, so the moment of deciding is long over.
    let isPast = false;
    const now = () => new Date(isPast ? "2026-03-02T09:00:02Z" : "2026-03-02T09:00:00Z");
    const approve = () => Promise.resolve(true);
    scene.alter(({ method, path }, body) => {
      isPast ||= method === "GET" && path.includes("/users/me");
      return body;
    });
    const { failures } = await scene.promote({ now, approve });
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["closed", "nothing may be changed now: a freeze of the stage dev (audit)"],
    ]);
    expect(await scene.versions()).toMatchObject({ dev: older });
  });
});
