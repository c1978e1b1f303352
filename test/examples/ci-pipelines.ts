// Reads which scripts the workflow and the pipeline of examples/ci call, and with which variables.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** The folder of the scripts. */
export const ci = fileURLToPath(new URL("../../examples/ci", import.meta.url));

/** Variables by name, as written in the pipeline: plain text, or an expression of the forge. */
export type Variables = Readonly<Record<string, string>>;

/** A script of the folder with the variables of its call. */
export interface ScriptCall {
  readonly script: string;
  readonly variables: Variables;
}

interface GithubJob {
  readonly env?: Variables;
  readonly steps: readonly { readonly run?: string; readonly env?: Variables }[];
}

function readGithub() {
  return parse(readFileSync(path.join(ci, "github/svc.yml"), "utf8")) as {
    readonly env: Variables;
    readonly jobs: Readonly<Record<string, GithubJob>>;
  };
}

/** Returns what the steps of the GitHub workflow run. */
export function stepsOnGithub(): readonly string[] {
  return Object.values(readGithub().jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  );
}

/** Returns the calls of the GitHub workflow. */
export function callsOnGithub(): readonly ScriptCall[] {
  const { env, jobs } = readGithub();
  return Object.values(jobs).flatMap((job) => {
    const before = new Map(Object.entries({ ...env, ...job.env }));
    return job.steps.flatMap(({ run = "", env: own = {} }) => {
      const calls = scriptsIn(run).map((script) => {
        return { script, variables: { ...Object.fromEntries(before), ...own } };
      });
      for (const [, name = ""] of run.matchAll(/echo "(\w+)=.*GITHUB_ENV/gu)) {
        before.set(name, "${{ env }}");
      }
      return calls;
    });
  });
}

/** The variables of the project, which the head of the GitLab pipeline requires. */
export const projectVariables = [
  "SVC_API_URL",
  "SVC_API_KEY",
  "SVC_OIDC_AUDIENCE",
  "SVC_FINGERPRINT_KEY",
  "GITLAB_TOKEN",
  "SVC_GRANTS",
  "INVENTORY_PUSH_URL",
] as const;

interface GitlabJob {
  readonly variables?: Variables;
  readonly script?: readonly string[];
  readonly after_script?: readonly string[];
}

/** Returns the text of the GitLab pipeline, and its calls. */
export function callsOnGitlab(): { readonly text: string; readonly calls: readonly ScriptCall[] } {
  const text = readFileSync(path.join(ci, "gitlab/svc.gitlab-ci.yml"), "utf8");
  const { variables, ...jobs } = parse(text) as { readonly variables: Variables };
  const project = Object.fromEntries(projectVariables.map((name) => [name, `$${name}`]));
  const calls = (Object.values(jobs) as readonly GitlabJob[]).flatMap((job) =>
    [...(job.script ?? []), ...(job.after_script ?? [])].flatMap((line) =>
      scriptsIn(line).map((script) => {
        return { script, variables: { ...project, ...variables, ...job.variables } };
      }),
    ),
  );
  return { text, calls };
}

/** Returns the scripts of the folder that a text calls. */
export function scriptsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:\bci|\$here)\/([a-z-]+\.(?:sh|mjs))/gu)].flatMap(
    ([, name]) => name ?? [],
  );
}

/**
 * Returns the environment that the GitHub workflow gives a script: its plain values, and the values of its expressions
 * from `known`. Fails if the workflow does not call the script.
 */
export function environmentOf(script: string, known: Variables): Record<string, string> {
  const call = callsOnGithub().find((one) => one.script === script);
  if (call === undefined) throw new Error(`the workflow does not call ${script}`);
  return Object.fromEntries(
    Object.entries(call.variables).flatMap(([name, value]) => {
      const given = value.includes("${{") ? known[name] : value;
      return given === undefined ? [] : [[name, given] as const];
    }),
  );
}
