// Tests that every failure is one JSON value of one format on standard output if JSON is requested, before a command runs
// and while it runs.
import { describe, expect, it } from "vitest";
import { validator } from "../../core/schema/validate.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { runSvc } from "./run-cli.ts";

const slowTest = { timeout: 30_000 };

const offlineEnv = { env: { SVC_API_URL: "http://127.0.0.1:9" } };

describe("a failure in JSON", slowTest, () => {
  it.each<[readonly string[], number, string, string]>([
    [["plam", "--json"], 64, "usage", "Did you mean plan?"],
    [["plan", "--outt", "x", "--output", "json"], 64, "usage", "Did you mean --out?"],
    [["plan", "--output", "xml", "--json"], 64, "usage", "Allowed choices are"],
    [["variables", "create", "--json"], 64, "usage", "Commands of svc variables: list, set, "],
    [["inventory", "unlock", "--json"], 64, "usage", "missing required argument 'id'"],
    [["promote", "--output", "json"], 64, "usage", "missing required argument 'pipeline'"],
    [["promote", "approve", "--json"], 64, "usage", "required option '--stage"],
    [["plan", "--json", "/no/such/folder"], 64, "usage", "not found: /no/such/folder"],
    [["inventory", "move", "Folder/board", "--json"], 64, "usage", "--to is missing: Folder/board"],
    [["explain", "--json", "--json-into", "no/such/x.json"], 64, "usage", "cannot write"],
    [["plan", "--json"], 77, "unauthenticated", "no credential"],
  ])("%j", async (args, exit, code, message) => {
    const { out, err, ...ended } = await runSvc(args, offlineEnv);
    const answer = JSON.parse(out) as { error: { code: string; message: string; remedy?: string } };
    expect([ended.code, answer.error.code]).toEqual([exit, code]);
    expect(`${answer.error.message}\n${answer.error.remedy ?? ""}`).toContain(message);
    expect(answer.error.message).not.toMatch(/Did you mean|\.$/u);
    expect(validator(failureSchema())(answer)).toEqual([]);
    expect(err).toContain(message);
  });

  it("of an unconfirmed command is not filtered, and exits with 5", async () => {
    const env = { ...offlineEnv.env, SVC_API_KEY: "none" };
    for (const filter of [".id", ".items[]"]) {
      const { code, out } = await runSvc(["groups", "delete", "5", "--jq", filter], { env });
      expect([code, out]).toEqual([5, ""]);
    }
  });

  it("names the variable of the key if it is set but empty", async () => {
    const { code, err } = await runSvc(["plan"], { env: { ...offlineEnv.env, SVC_API_KEY: " " } });
    expect([code, err]).toEqual([
      77,
      expect.stringContaining("no credential: SVC_API_KEY is empty"),
    ]);
    for (const [file, source] of [
      ["-", "standard input"],
      ["/dev/null", "/dev/null"],
    ] as const) {
      const empty = await runSvc(["plan", "--api-key-file", file], offlineEnv);
      expect([empty.code, empty.err]).toEqual([
        77,
        expect.stringContaining(`no credential: ${source} is empty`),
      ]);
    }
  });

  it("never contains a possible key, and has the requested format", async () => {
    const key = await runSvc(["plan", "--json", "--api-key=sk-very-secret"]);
    expect(JSON.parse(key.out)).toMatchObject({ error: { code: "usage" } });
    expect(key.out).not.toContain("very-secret");
    const sarif = await runSvc(["plan", "--output", "sarif", "--outt"]);
    expect(JSON.parse(sarif.out)).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: false }] }],
    });
    const text = await runSvc(["plan", "--outt", "--", "--json"]);
    expect([text.code, text.out]).toEqual([64, ""]);
  });
});
