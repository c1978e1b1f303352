// Tests the output and the exit code of runs that fail or are interrupted.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { text as readText } from "node:stream/consumers";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { svcProgram } from "../support/svc-program.ts";
import { startSvc } from "./run-cli.ts";
import { slowTest, stackText, useStackSessions } from "./stack-sessions.ts";

const { service, env, makeOtherFolder, makeStackFolder, run, liveGroups } = useStackSessions();

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

describe("what goes wrong", slowTest, () => {
  it("a wrong API key is reported with exit code 77", async () => {
    const stack = makeStackFolder(["one"]);
    const wrong = { ...env(), SVC_API_KEY: "sk-wrong-key" };
    const { code, out, err } = await run(["plan"], stack, { env: wrong });
    expect([code, out]).toEqual([77, ""]);
    expect(err).toMatch(/^error: .* \[unauthenticated\]$/mu);
    expect(err).not.toContain("sk-wrong-key");
    expect(err).toContain("Check that the credential from SVC_API_KEY belongs to this server");
    stack.write({ "wrong.txt": "sk-wrong-key" });
    const ofFile = await run(["plan", "--api-key-file", "wrong.txt"], stack);
    expect([ofFile.code, ofFile.err]).toEqual([
      77,
      expect.stringContaining("the credential from the file wrong.txt belongs"),
    ]);
    const json = await run(["plan", "--json"], stack, { env: wrong });
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "unauthenticated" } });
  });

  it("is a key that is not an administrator's", async () => {
    const stack = makeStackFolder(["one"]);
    const key = await service().key({ admin: false });
    const { code, err } = await run(["apply", "--yes"], stack, {
      env: { ...env(), SVC_API_KEY: key },
    });
    expect(code, err).toBe(77);
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of a change is named once where both streams are one", async () => {
    const stack = makeStackFolder(["a"]);
    stack.write({
      "user.yaml":
        "apiVersion: svc/v1\nkind: User\nmetadata: { name: u }\nspec: { email: other@x.example, username: admin }\n",
    });
    const { file } = await svcProgram();
    const command = `'${process.execPath}' '${file}' apply --yes 2>&1`;
    const child = spawn("sh", ["-c", command], {
      cwd: stack.path,
      env: { ...env(), PATH: process.env["PATH"], HOME: stack.path },
    });
    const merged = await readText(child.stdout);
    expect(merged.match(/failed to create/gu)).toHaveLength(1);
    const apart = await run(["apply", "--yes"], stack);
    expect([apart.code, apart.err]).toEqual([
      4,
      expect.stringContaining("failed to create User/u"),
    ]);
  });

  it("is a server that does not answer", async () => {
    const stack = makeStackFolder(["one"]);
    const nowhere = { ...env(), SVC_API_URL: "http://127.0.0.1:9" };
    const { code, out, err } = await run(["plan"], stack, { env: nowhere });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("error: cannot reach http://127.0.0.1:9");
  });

  it("in a folder without a Stack document is reported with exit code 1", async () => {
    const folder = makeOtherFolder({ "readme.txt": "" });
    const { code, out, err } = await run(["plan"], folder);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("no Stack document found in or below the current folder");
  });

  it("is a saved plan without the path of its manifests, before anything is read", async () => {
    const stack = makeStackFolder(["one"]);
    const folder = makeOtherFolder({ "readme.txt": "" });
    const file = join(folder.path, "plan.json");
    expect((await run(["plan", "--out", file], stack)).code).toBe(0);
    const { code, out, err } = await run(["apply", "plan.json"], folder);
    expect([code, out]).toEqual([64, ""]);
    const manifests = relative(folder.path, stack.path);
    expect(err).toBe(
      "error: plan.json was made from manifests in another folder: the current folder has no Stack document [usage]\n" +
        `  Name the manifests that the plan was made from: svc apply plan.json ${manifests}\n`,
    );
    expect((await run(["apply", "plan.json", manifests], folder)).code).toBe(0);
  });

  it("is a lock of another run, until it is released by its id", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = await startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env: env() });
    await waitForOutput(first.child.stderr, /"phase":"check"/u);
    first.child.kill("SIGSTOP");
    stack.write({ "stack.yaml": stackText(stack.name, "requestsPerSecond: 100") });
    const refused = await run(["apply", "--yes"], stack);
    expect(refused.code, refused.err).toBe(4);
    const id = /svc inventory unlock (\S+)/u.exec(refused.err)?.[1] ?? "";
    expect((await run(["inventory", "unlock", "another-id"], stack)).code).toBe(1);
    const alive = await run(["inventory", "unlock", id], stack);
    expect(alive.code, alive.err).toBe(4);
    expect(alive.err).toMatch(/\S+ pid \d+ holds the lock on .* \(apply\) since 20.*--yes/su);
    expect((await run(["inventory", "unlock", id, "--yes"], stack)).code).toBe(0);
    first.child.kill("SIGKILL");
    await first.ended;
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
  });

  it("is not a lock whose run was killed on the same machine", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = await startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env: env() });
    await waitForOutput(first.child.stderr, /"phase":"check"/u);
    first.child.kill("SIGKILL");
    await first.ended;
    stack.write({ "stack.yaml": stackText(stack.name, "requestsPerSecond: 100") });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
  });
});

describe("Ctrl-C in the middle of an apply", slowTest, () => {
  it("stops between calls, and the next run finishes without duplicates", async () => {
    // Each user is created with a separate call.
    const names = Array.from({ length: 30 }, (_, index) => `u${index}`);
    const stack = makeStackFolder([], "requestsPerSecond: 20, concurrency: 1");
    const documents = names.map((name) => ({
      apiVersion: "svc/v1",
      kind: "User",
      metadata: { name },
      spec: { email: `${name}@${stack.name}.example`, username: `${stack.name}-${name}` },
    }));
    const text = documents.map((one) => JSON.stringify(one)).join("\n---\n");
    writeFileSync(join(stack.path, "groups.yaml"), text);
    const live = async () => {
      const { body } = await service().send("GET", "/api/v1/users?first=1000");
      const { items } = body as { items: readonly { username: string }[] };
      return items.map((one) => one.username).filter((one) => one.startsWith(`${stack.name}-`));
    };
    const first = await startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env: env() });
    while ((await live()).length < 3) expect(first.child.exitCode).toBeNull();
    first.child.kill("SIGINT");
    const stopped = await first.ended;
    expect(stopped.code, stopped.err).toBe(3);
    expect(stopped.err).toContain("stopping after the calls in flight");
    expect(stopped.err).toContain("run the same command again to continue");
    const some = (await live()).length;
    expect(some).toBeGreaterThan(2);
    expect(some).toBeLessThan(names.length);
    const second = await run(["apply", "--yes"], stack);
    expect(second.code, second.err).toBe(0);
    const after = await live();
    expect(after.toSorted()).toEqual(names.map((name) => `${stack.name}-${name}`).toSorted());
    expect((await run(["plan"], stack)).code).toBe(0);
  });

  it("exits with 130 if nothing was written", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = await startSvc(["plan", "--json"], { cwd: stack.path, env: env() });
    await waitForOutput(first.child.stderr, /"phase":"read"/u);
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(130);
  });
});

/** Resolves once a stream has printed the text. */
function waitForOutput(stream: NodeJS.ReadableStream | null, what: RegExp): Promise<void> {
  let output = "";
  return new Promise((resolve) => {
    stream?.on("data", (chunk) => {
      output += String(chunk);
      if (what.test(output)) resolve();
    });
  });
}
