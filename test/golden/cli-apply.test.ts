// Tests sessions with the real command line and the real service: from a manifest to live objects, drift and repair.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { slowTest, useStackSessions } from "./stack-sessions.ts";

const { service, env, makeOtherFolder, makeStackFolder, run, liveGroups } = useStackSessions();

/** Returns a text without the parts that differ from run to run. */
function stableText(text: string, { name }: { name: string }): string {
  return text
    .replaceAll(service().url, "http://server")
    .replaceAll(name, "stack")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

describe("from a manifest to a live service", slowTest, () => {
  it("plans, applies, shows drift and repairs it", async () => {
    const stack = makeStackFolder(["one", "two"]);
    const planned = await run(["plan", "--quiet"], stack);
    expect([planned.code, planned.err]).toEqual([0, ""]);
    expect(await liveGroups(stack.name)).toEqual([]);
    expect(existsSync(join(stack.path, ".svc"))).toBe(false);
    await expect(stableText(planned.out, stack)).toMatchFileSnapshot("cli-plan.golden");

    const applied = await run(["apply", "--yes"], stack);
    expect([applied.code, applied.err]).toEqual([0, ""]);
    await expect(stableText(applied.out, stack)).toMatchFileSnapshot("cli-apply.golden");
    const [first] = await liveGroups(stack.name);
    expect((await run(["plan"], stack)).code).toBe(0);
    expect((await run(["apply"], stack)).code).toBe(0);

    await service().send("PATCH", `/api/v1/user-groups/${first?.id}`, {
      body: { description: "by hand" },
    });
    const drift = await run(["drift"], stack);
    expect([drift.code, drift.err]).toEqual([2, ""]);
    await expect(stableText(drift.out, stack)).toMatchFileSnapshot("cli-drift.golden");
    expect((await run(["apply", "--yes", "--quiet"], stack)).code).toBe(0);
    expect((await run(["drift"], stack)).code).toBe(0);
    expect((await liveGroups(stack.name)).map((one) => one.description)).toEqual([
      "declared",
      "declared",
    ]);
  });

  it("applies a saved plan, and refuses it after a change on the server", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    const planned = await run(["plan", "--detailed-exitcode", "--out", file], stack);
    expect([planned.code, planned.err]).toEqual([
      2,
      expect.stringContaining(`Saved the plan to ${file}. Apply it: svc apply ${file}\n`),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(["apply", file], stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
    const again = await run(["apply", "--plan", file], stack);
    expect(again.code).toBe(4);
    expect(again.err).toMatch(/^error: .* \[stale\]$/mu);
  });

  it("names the manifests of a saved plan if the current folder holds others", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    expect((await run(["plan", "--detailed-exitcode", "--out", file], stack)).code).toBe(2);
    const elsewhere = makeOtherFolder({});
    const { code, err } = await run(["apply", file], elsewhere);
    expect(code).toBe(64);
    expect(err).toContain(`made from: svc apply ${file} ../${basename(stack.path)}\n`);
  });

  it("applies a saved plan with secrets if no earlier run created a fingerprint key", async () => {
    const stack = makeStackFolder(["one"]);
    const variable = {
      apiVersion: "svc/v1",
      kind: "EnvironmentVariable",
      metadata: { name: "token" },
      spec: { deployment: { external: "main" }, name: "API_TOKEN", value: "hush" },
    };
    stack.write({ "variables.yaml": JSON.stringify(variable) });
    const file = join(stack.path, "saved.json");
    const how = { env: { ...env(), XDG_CONFIG_HOME: join(stack.path, "config") } };
    expect((await run(["plan", "--detailed-exitcode", "--out", file], stack, how)).code).toBe(2);
    expect(readFileSync(file, "utf8")).not.toContain("hush");
    expect(await run(["apply", file], stack, how)).toMatchObject({ code: 0 });
    expect((await run(["plan"], stack, how)).code).toBe(0);
  });

  it("refuses a saved plan that was edited", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    await run(["plan", "--out", file], stack);
    writeFileSync(file, readFileSync(file, "utf8").replace('"create"', '"conjure"'));
    const { code, err } = await run(["apply", file], stack);
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .* \[corrupt\]$/mu);
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("adopts all existing objects, or only those that are named", async () => {
    const stack = makeStackFolder(["one", "two"]);
    for (const name of ["one", "two"]) {
      await service().send("POST", "/api/v1/user-groups", {
        body: { name: `${stack.name}-${name}` },
      });
    }
    const refused = await run(["plan"], stack);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/^error: see the errors above \[invalid\]\n$/mu),
    ]);
    expect((await run(["adopt"], stack)).out).toBe(
      "would adopt UserGroup/one\nwould adopt UserGroup/two\n2 objects to adopt.\n",
    );
    const unconfirmed = await run(["adopt", "--json"], stack);
    expect([unconfirmed.code, JSON.parse(unconfirmed.out)]).toMatchObject([
      5,
      {
        status: "confirmation_required",
        adopts: ["UserGroup/one", "UserGroup/two"],
        notFound: [],
        blocked: [],
      },
    ]);
    expect((await run(["plan"], stack)).code).toBe(1);
    const only = await run(["adopt", "--yes", "--only", "UserGroup/one", "--json"], stack);
    expect([only.code, JSON.parse(only.out)]).toEqual([
      0,
      { format: 1, report: "adopt", adopted: ["UserGroup/one"], notFound: [], blocked: [] },
    ]);
    const two = await run(["adopt", "-y", "UserGroup/two"], stack);
    expect([two.code, two.out]).toEqual([0, "adopted UserGroup/two\n1 object adopted.\n"]);
    expect((await run(["adopt"], stack)).out).toBe(
      "no object to adopt: the stack already owns its 2 declared objects.\n",
    );
    expect((await run(["adopt", "UserGroup/three"], stack)).code).toBe(1);
    expect((await run(["plan", "--detailed-exitcode"], stack)).code).toBe(2);
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    expect((await liveGroups(stack.name)).map((one) => one.description)).toEqual([
      "declared",
      "declared",
    ]);
  });

  it("prints one JSON value, and also writes it to a file", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "result.txt");
    const planned = await run(["plan", "--output", "json", "--json-into", file], stack);
    expect(planned.code).toBe(0);
    expect(JSON.parse(planned.out)).toEqual(JSON.parse(readFileSync(file, "utf8")));
    const applied = await run(["apply", "--yes", "--json"], stack);
    expect(applied.code).toBe(0);
    expect(typeof JSON.parse(applied.out)).toBe("object");
    const lines = applied.err.split("\n").filter((line) => line.startsWith("{"));
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain("phase");
    expect((await run(["drift", "--json"], stack)).code).toBe(0);
  });
});
