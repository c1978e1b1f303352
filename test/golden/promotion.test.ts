// Tests the reports of pipelines as text and JSON with a real service, and a session on the command line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validator } from "../../core/schema/validate.ts";
import { pipelineStatus } from "../../promotion/promote.ts";
import { approve, hold, release } from "../../promotion/manual-actions.ts";
import { whyJson, whyMarkdown, whyOf, whyText } from "../../promotion/why-report.ts";
import {
  pipelineJson,
  pipelineMarkdown,
  type PipelineReport,
  pipelineText,
} from "../../promotion/report.ts";
import { commandOutputs } from "../../reconciler/report/command-output-schema.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { promotionReportSchema } from "../../promotion/report-schema.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import {
  expectOk,
  newestVersion,
  olderVersion,
  closePromotionFixtures,
  openPromotionFixture,
  type PromotionFixture,
} from "../promotion/fixture.ts";
import { type CommandResult, runSvc } from "./run-cli.ts";

let fixture: PromotionFixture;
let reports: { readonly status: PipelineReport; readonly run: PipelineReport };

beforeAll(async () => {
  fixture = await openPromotionFixture();
  await fixture.writePipeline([{ soak: "2h", validFor: "7d" }, { batchSize: 1 }, {}]);
  await fixture.setListed(newestVersion, "release");
  await fixture.verifyOnly();
  fixture.advanceClock(3_600_000);
  await fixture.promote();
  const production = { ...fixture.options, stage: "production" };
  expectOk(await approve({ ...production, version: newestVersion, reason: "tested by *hand*" }));
  fixture.advanceClock(3 * 3_600_000);
  fixture.site.nextStatus.set("/staging-b", 503);
  const runReport = await fixture.promote();
  expectOk(await hold({ ...production, reason: "too early" }));
  fixture.advanceClock(60_000);
  expectOk(await release({ ...production, connection: undefined, by: "bob" }));
  expectOk(await hold({ ...production, reason: "`audit` | *week*" }));
  fixture.advanceClock(30_000);
  reports = { run: runReport, status: expectOk(await pipelineStatus(fixture.options)) };
});
afterAll(async () => {
  await fixture.close();
  await closePromotionFixtures();
});

/** Returns a text without the parts that differ from run to run. */
function stableText(text: string): string {
  return text
    .replaceAll(fixture.site.url, "http://site")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "ID")
    .replace(/\d{8}T\d{6}-[0-9a-f]{6}/gu, "RUN");
}

describe("the report of a pipeline", () => {
  it.each(["status", "run"] as const)("formats %s as text, Markdown and JSON", async (name) => {
    const report = reports[name];
    const style = { color: false, width: 100 };
    const at = `promotion-${name}`;
    await expect(stableText(pipelineText(report, style))).toMatchFileSnapshot(`${at}.golden`);
    await expect(stableText(pipelineMarkdown(report))).toMatchFileSnapshot(`${at}.md.golden`);
    const json = pipelineJson(report);
    expect(validator(promotionReportSchema())(json)).toEqual([]);
    // A run has the members of a status, and what it did.
    const { diff, done } = json;
    const shown = name === "run" ? { diff, done } : json;
    await expect(stableText(jsonText(shown))).toMatchFileSnapshot(`${at}.json.golden`);
  });
});

describe("the reason why a stage waits", () => {
  it("is formatted as text, Markdown and JSON, with the actor of each action", async () => {
    const report = whyOf(reports.status, "production");
    const text = whyText(report, { color: false });
    await expect(stableText(text)).toMatchFileSnapshot("promotion-why.golden");
    await expect(stableText(whyMarkdown(report))).toMatchFileSnapshot("promotion-why.md.golden");
    const json = whyJson(report);
    expect(validator(promotionReportSchema())(json)).toEqual([]);
    await expect(stableText(jsonText(json))).toMatchFileSnapshot("promotion-why.json.golden");
  });
});

interface UnconfirmedOutput {
  readonly error: { readonly remedy: string };
  readonly command: string;
  readonly pipeline: object;
}

describe("a session", { timeout: 120_000 }, () => {
  const run = (...args: readonly string[]): Promise<CommandResult> =>
    runSvc(["promote", ...args], {
      cwd: fixture.stack.folder,
      env: {
        SVC_API_URL: fixture.proxy.url,
        SVC_API_KEY: fixture.service.adminKey,
        SVC_ACTOR: "grace",
      },
    });
  const reported = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    return `${code} ${stableText(out === "" ? err : out).trimEnd()}`;
  };
  /** Returns the JSON output of a run without confirmation. */
  async function unconfirmed(...args: readonly string[]): Promise<UnconfirmedOutput> {
    const { code, out } = await run("platform", "--direct", "--json", ...args);
    const answer = JSON.parse(out) as UnconfirmedOutput;
    expect([code, validator(failureSchema())(answer)]).toEqual([5, []]);
    return answer;
  }
  it("explains, asks for confirmation, and exits with the documented codes", async () => {
    const may = ["--grant", `checks.origins=${fixture.site.url}`];
    expect(await reported("why", "platform", "--stage", "production")).toContain(
      "  held: production is held by admin@svc.localhost since 2026-03-02T13:01:00.000Z: `audit` | *week*",
    );
    expect(await reported("release", "platform", "--stage", "production")).toBe(
      "0 production is no longer held.",
    );
    const file = join(fixture.stack.folder, "result.json");
    const stage = ["platform", "--stage", "staging"] as const;
    for (const [form, ...args] of [
      ["promote approve", "approve", ...stage, "--version", newestVersion],
      ["promote approve", "approve", ...stage, "--version", newestVersion],
      ["promote withdraw", "withdraw", ...stage, "--version", newestVersion],
      ["promote hold", "hold", ...stage, "--reason", "audit"],
      ["promote release", "release", ...stage],
    ] as const) {
      const done = await run(...args, "--json-into", file);
      expect([args, done.code, done.code === 0 ? "" : done.err]).toEqual([args, 0, ""]);
      const result: unknown = JSON.parse(readFileSync(file, "utf8"));
      expect(validator(commandOutputs[form])(result)).toEqual([]);
    }
    expect((await run("status", "platform", "--json-into", file)).code).toBe(0);
    expect((await run("platform")).code).toBe(2);
    const unapproved = await run(
      "platform",
      "--direct",
      "--to",
      "dev",
      "--version",
      olderVersion,
      ...may,
    );
    expect(unapproved.code).toBe(5);
    expect(unapproved.err).toContain(`confirmation: svc did not bring dev to ${olderVersion}`);
    expect(unapproved.out).toMatch(
      new RegExp(
        `^bring dev to ${olderVersion}:\n  Deployment/dev: ${newestVersion} → ${olderVersion}\n\n`,
        "u",
      ),
    );
    const { pipeline, ...short } = await unconfirmed(
      "--to",
      "dev",
      "--version",
      olderVersion,
      ...may,
    );
    expect(unapproved.err).toContain(`To confirm, run: ${short.command.replace(" --json", "")}\n`);
    expect(unapproved.out).toContain(
      `\n  not-confirmed: ${olderVersion} was not confirmed for dev\n`,
    );
    expect(short).toMatchObject({
      status: "confirmation_required",
      error: {
        code: "confirmation_required",
        message: `no terminal to ask for confirmation: svc did not bring dev to ${olderVersion}`,
      },
      steps: [
        {
          action: "start",
          stage: "dev",
          version: olderVersion,
          cause: "requested",
          changes: [{ address: "Deployment/dev", from: newestVersion, to: olderVersion }],
        },
      ],
      command: expect.stringMatching(/^svc promote platform --direct --json --to dev .* --yes$/u),
    });
    expect(validator(promotionReportSchema())(pipeline)).toEqual([]);
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
    const done = await run(
      "platform",
      "--direct",
      "--to",
      "dev",
      "--version",
      olderVersion,
      "--yes",
      ...may,
    );
    expect(done.code, done.err).toBe(0);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    expect(done.out).toContain(`bring dev to ${olderVersion}`);
    const { stages } = await fixture.status();
    expect(stages[0]?.hold).toMatchObject({ by: "admin@svc.localhost", vouchedBy: "server" });
    expect(await reported("platform", "--to", "dev")).toBe(
      "64 error: no mode given [usage]\n  Pass --direct to apply the versions, or --write to write them to the manifests and commit.",
    );
    const newest = `are ${newestVersion}, ${olderVersion}.`;
    expect(await reported("approve", ...stage, "--version", "new")).toBe(
      '64 error: "new" is not a version [usage]\n' +
        `  A version is three numbers, such as 1.2.3. The newest versions ${newest}`,
    );
    expect(await reported("platform", "--to", "dev", "--version", "9.9.9", "--direct")).toContain(
      `  The newest versions that the server lists for the channels of dev ${newest}`,
    );
    expect(await reported("platform", "--yes")).toBe(
      "64 error: --yes needs --direct or --write, because nothing is done without them [usage]",
    );
    expect(await reported("status", "other")).toContain(
      '64 error: the stack platform has no pipeline "other" [usage]',
    );
  });
});
