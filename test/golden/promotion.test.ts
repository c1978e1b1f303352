// The reports of pipelines as people and programs see them, over a real service; and a session with the real command line tool.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validator } from "../../core/validate.ts";
import { pipelineStatus } from "../../reconciler/promote/promote.ts";
import { approve, hold, release } from "../../reconciler/promote/words.ts";
import { whyJson, whyMarkdown, whyOf, whyText } from "../../reconciler/promote/why-report.ts";
import {
  pipelineJson,
  pipelineMarkdown,
  type PipelineReport,
  pipelineText,
} from "../../reconciler/promote/report.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { promotionReportSchema } from "../../reconciler/promote/report-schema.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { good, newest, older, openScene, type Scene } from "../promotion/scene.ts";
import { type Ended, svc } from "./cli-run.ts";

let scene: Scene;
let reports: { readonly stood: PipelineReport; readonly did: PipelineReport };

beforeAll(async () => {
  scene = await openScene();
  await scene.pipeline([{ soak: "2h", validFor: "7d" }, { atOnce: 1 }, {}]);
  await scene.list(newest, "release");
  await scene.settle();
  scene.pass(3_600_000);
  await scene.promote();
  const production = { ...scene.options, stage: "production" };
  good(await approve({ ...production, version: newest, reason: "tested by *hand*", by: "bob" }));
  scene.pass(3 * 3_600_000);
  scene.site.sickOnce.set("/staging-b", 503);
  const did = await scene.promote();
  good(await hold({ ...production, reason: "too early" }));
  scene.pass(60_000);
  good(await release({ ...production, by: "bob" }));
  good(await hold({ ...production, reason: "`audit` | *week*" }));
  scene.pass(30_000);
  reports = { did, stood: good(await pipelineStatus(scene.options)) };
});
afterAll(() => scene.close());

/** Without what differs from run to run. */
function steady(text: string): string {
  return text
    .replaceAll(scene.site.url, "http://site")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "ID")
    .replace(/\d{8}T\d{6}-[0-9a-f]{6}/gu, "RUN");
}

describe("the report of a pipeline", () => {
  it.each(["stood", "did"] as const)("that %s is told in every form", async (name) => {
    const report = reports[name];
    const look = { color: false, width: 100 };
    const at = `promotion-${name}`;
    await expect(steady(pipelineText(report, look))).toMatchFileSnapshot(`${at}.golden`);
    await expect(steady(pipelineMarkdown(report))).toMatchFileSnapshot(`${at}.md.golden`);
    const json = pipelineJson(report);
    expect(validator(promotionReportSchema())(json)).toEqual([]);
    await expect(steady(jsonText(json))).toMatchFileSnapshot(`${at}.json.golden`);
  });
});

describe("why a stage does not go on", () => {
  it("is told in every form, with who said what", async () => {
    const report = whyOf(reports.stood, "production");
    const text = whyText(report, { color: false });
    await expect(steady(text)).toMatchFileSnapshot("promotion-why.golden");
    await expect(steady(whyMarkdown(report))).toMatchFileSnapshot("promotion-why.md.golden");
    await expect(steady(jsonText(whyJson(report)))).toMatchFileSnapshot(
      "promotion-why.json.golden",
    );
  });
});

interface Unconfirmed {
  readonly error: { readonly remedy: string };
  readonly command: string;
  readonly pipeline: object;
}

describe("a session", { timeout: 120_000 }, () => {
  const run = (...args: readonly string[]): Promise<Ended> =>
    svc(["promote", ...args], {
      cwd: scene.stack.folder,
      env: {
        SVC_API_URL: scene.proxy.url,
        SVC_API_KEY: scene.service.adminKey,
        SVC_ACTOR: "grace",
      },
    });
  const told = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    return `${code} ${steady(out === "" ? err : out).trimEnd()}`;
  };
  /** The one value that a run answers that nobody confirmed. */
  async function unconfirmed(...args: readonly string[]): Promise<Unconfirmed> {
    const { code, out } = await run("platform", "--direct", "--json", ...args);
    const answer = JSON.parse(out) as Unconfirmed;
    expect([code, validator(failureSchema())(answer)]).toEqual([5, []]);
    return answer;
  }
  it("says why, asks before it acts, and ends as it is documented", async () => {
    const may = ["--allow-origin", scene.site.url];
    expect(await told("why", "platform", "--stage", "production")).toContain(
      "  held: production is held by ada since 2026-03-02T13:01:00.000Z: `audit` | *week*",
    );
    expect(await told("release", "platform", "--stage", "production")).toBe(
      "0 production is held no more.",
    );
    expect((await run("platform")).code).toBe(2);
    const unasked = await run("platform", "--direct", "--to", "dev", "--version", older, ...may);
    expect(unasked.code).toBe(5);
    expect(unasked.err).toContain(`not confirmed, so not done: bring dev to ${older}`);
    const { pipeline, ...short } = await unconfirmed("--to", "dev", "--version", older, ...may);
    expect(JSON.parse(unasked.out)).toEqual({
      ...short,
      command: short.command.replace(" --json", ""),
      error: { ...short.error, remedy: short.error.remedy.replace(" --json", "") },
    });
    expect(short).toMatchObject({
      status: "confirmation_required",
      error: {
        code: "confirmation_required",
        message: `not confirmed, so not done: bring dev to ${older}`,
      },
      steps: [{ do: "start", stage: "dev", version: older, cause: "asked" }],
      command: expect.stringMatching(/^svc promote --yes platform --direct --json --to dev /u),
    });
    expect(validator(promotionReportSchema())(pipeline)).toEqual([]);
    expect(await scene.versions()).toMatchObject({ dev: newest });
    const done = await run(
      "platform",
      "--direct",
      "--to",
      "dev",
      "--version",
      older,
      "--yes",
      ...may,
    );
    expect(done.code, done.err).toBe(0);
    expect(await scene.versions()).toMatchObject({ dev: older });
    expect(done.out).toContain(`bring dev to ${older}`);
    const { stages } = await scene.status();
    expect(stages[0]?.hold).toMatchObject({ by: "grace" });
    expect(await told("platform", "--to", "dev")).toBe(
      "64 error: usage: it is not said how to act\n  pass --direct or --write",
    );
    expect(await told("status", "other")).toContain(
      '64 error: usage: the stack platform has no pipeline "other"',
    );
  });
});
