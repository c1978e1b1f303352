// Tests that the GitHub workflow and the GitLab pipeline of examples/ci call the tested scripts with the same variables.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { callsOnGithub, callsOnGitlab, ci, projectVariables, scriptsIn } from "./ci-pipelines.ts";

/** The variables that differ between forges: the package, the credentials, the subject of a request, and the push URL of clones. */
const forgeVariables = [
  "SVC_PACKAGE",
  "GITHUB_TOKEN",
  "SVC_ACTOR",
  "GITLAB_TOKEN",
  "INVENTORY_PUSH_URL",
  "GIT_DEPTH",
];

const calledScripts = ["apply.sh", "drift.sh", "plan.sh", "promote-request.sh", "promote.sh"];

describe("the pipelines of examples/ci", () => {
  const [onGithub, { text, calls: onGitlab }] = [callsOnGithub(), callsOnGitlab()];

  it.each([
    ["GitHub", onGithub],
    ["GitLab", onGitlab],
  ])("call every script once on %s", (_, calls) => {
    expect(calls.map(({ script }) => script).toSorted()).toEqual(calledScripts);
  });

  it("leave no script of the folder uncalled, and call none that cannot be run", () => {
    const scripts = readdirSync(ci).filter((name) => /\.(?:sh|mjs)$/u.test(name));
    const inside = scripts.flatMap((name) => scriptsIn(readFileSync(path.join(ci, name), "utf8")));
    expect([...new Set([...calledScripts, ...inside])].toSorted()).toEqual(scripts.toSorted());
    for (const name of scripts.filter((one) => one.endsWith(".sh"))) {
      accessSync(path.join(ci, name), constants.X_OK);
    }
  });

  it.each(calledScripts.filter((script) => script.endsWith(".sh")))(
    "set the variables that %s requires, and the same ones on both",
    (script) => {
      const names = [onGithub, onGitlab].map((calls) =>
        Object.keys(calls.find((one) => one.script === script)?.variables ?? {}),
      );
      const body = readFileSync(path.join(ci, script), "utf8");
      const own = [...body.matchAll(/\$\{?([A-Z][A-Z_]+)(?!\w|:-)/gu)].map(([, name]) => name);
      for (const given of names) expect(given).toEqual(expect.arrayContaining(own));
      const [github = [], gitlab = []] = names.map((given) =>
        given.filter((name) => !forgeVariables.includes(name)),
      );
      expect(gitlab).toEqual(expect.arrayContaining(github));
      expect(github).toEqual(
        expect.arrayContaining(["SVC_API_URL", "SVC_API_KEY", "SVC_FINGERPRINT_KEY", "STACK"]),
      );
    },
  );

  it("let every job that calls the service sign in without a key", () => {
    const read = (file: string): unknown => parse(readFileSync(path.join(ci, file), "utf8"));
    const { jobs } = read("github/svc.yml") as Record<"jobs", Record<string, GithubJob>>;
    for (const job of Object.values(jobs)) expect(job.permissions?.["id-token"]).toBe("write");
    const gitlab = read("gitlab/svc.gitlab-ci.yml") as Record<string, GitlabJob>;
    expect(gitlab[".svc"]?.id_tokens).toEqual({ SVC_OIDC_TOKEN: { aud: "$SVC_OIDC_AUDIENCE" } });
  });

  it("set the status of a plan at its begin, and at its end also if it failed", () => {
    const read = (file: string): unknown => parse(readFileSync(path.join(ci, file), "utf8"));
    const pending = "svc publish --name plan --state pending";
    const { jobs } = read("github/svc.yml") as Record<"jobs", Record<string, GithubJob>>;
    const { steps = [], permissions } = jobs["plan"] ?? {};
    const lines = steps.map(({ run = "" }) => run);
    expect(permissions).toMatchObject({ statuses: "write", "pull-requests": "write" });
    expect(lines.indexOf(pending)).toBeLessThan(lines.indexOf("ci/plan.sh"));
    expect(lines.indexOf(pending)).toBeGreaterThan(0);
    expect(steps.at(-1)).toMatchObject({
      if: "always()",
      run: expect.stringContaining('--name plan --state "$STATE"'),
      env: { STATE: "${{ steps.plan.outcome == 'success' && 'success' || 'failure' }}" },
    });
    const gitlab = read("gitlab/svc.gitlab-ci.yml") as Record<string, GitlabJob>;
    expect(gitlab["svc-plan"]?.script).toEqual([pending, "ci/plan.sh"]);
    expect(gitlab["svc-plan"]?.after_script?.join("\n")).toContain('--state "$state"');
  });

  it("say at their head which variables the project is to have", () => {
    const head = text.slice(0, text.indexOf("variables:\n"));
    for (const name of projectVariables) expect(head).toContain(name);
  });

  it("ask for approvals also after a version did not pass, and let no promotion cancel an apply", () => {
    const read = (file: string): unknown => parse(readFileSync(path.join(ci, file), "utf8"));
    const { jobs } = read("github/svc.yml") as Record<"jobs", Record<string, GithubJob>>;
    const steps = jobs["promote"]?.steps ?? [];
    const asks = steps.find(({ run: line }) => line === "ci/promote-request.sh");
    expect(asks?.if).toBe("${{ !cancelled() && steps.promote.outcome != 'skipped' }}");
    expect(jobs["promote"]?.concurrency).not.toBe(jobs["apply"]?.concurrency);
    const gitlab = read("gitlab/svc.gitlab-ci.yml") as Record<string, GitlabJob>;
    const promote = gitlab["svc-promote"];
    expect(promote?.resource_group).not.toBe(gitlab["svc-apply"]?.resource_group);
    expect(promote?.variables?.["SVC_ACTOR"]).toContain("$CI_PIPELINE_ID");
    expect(promote?.script.at(-1)).toMatch(/promote\.sh \|\| code=.*\n.*promote-request\.sh/u);
  });
});

/** The members of a GitHub job that the tests read. */
interface GithubJob {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: string;
  readonly steps: readonly { readonly if?: string; readonly run?: string }[];
}

/** The members of a GitLab job that the tests read. */
interface GitlabJob {
  readonly id_tokens?: Readonly<Record<string, unknown>>;
  readonly resource_group?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
}
