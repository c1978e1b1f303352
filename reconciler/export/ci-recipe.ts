// Recipes for CI systems, which `svc init --ci` writes: plan proposed changes, apply merged changes, look for drift
// every day.
import { shellQuote } from "../../core/text/shell-quote.ts";
import type { ExportedFile } from "./files.ts";

/** A CI system with a recipe. */
export type CiSystem = "github" | "gitlab";

/** The stacks and versions that a recipe names. */
export interface RecipeNames {
  /** Folders of the stacks, relative to the root of the repository. */
  readonly stacks: readonly string[];
  /** Version of svc to install. */
  readonly version: string;
}

/** A job of a recipe: its command, trigger and environment; only `production` has a credential that may write. */
interface RecipeJob {
  readonly name: "plan" | "apply" | "drift";
  readonly environment: string;
  readonly condition: string;
  /** Further lines. */
  readonly more?: readonly string[];
}

/** Returns the recipe of a system; its path is relative to the root of the repository. */
export function ciRecipe(system: CiSystem, names: RecipeNames): ExportedFile {
  return system === "github"
    ? { path: ".github/workflows/svc.yml", text: githubText(names) }
    : { path: "svc.gitlab-ci.yml", text: gitlabText(names) };
}

const githubJobs: readonly RecipeJob[] = [
  {
    name: "plan",
    environment: "plan",
    // A fork gets no secrets, so it cannot plan.
    condition:
      "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository",
  },
  {
    name: "apply",
    environment: "production",
    condition: "github.event_name == 'push'",
    more: ["    concurrency: svc-apply"],
  },
  { name: "drift", environment: "plan", condition: "github.event_name == 'schedule'" },
];

const gitlabJobs: readonly RecipeJob[] = [
  {
    name: "plan",
    environment: "{ name: plan, action: access }",
    condition: '$CI_PIPELINE_SOURCE == "merge_request_event"',
  },
  {
    name: "apply",
    environment: "production",
    condition: '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
    more: ["  resource_group: svc-apply"],
  },
  {
    name: "drift",
    environment: "{ name: plan, action: access }",
    condition: '$CI_PIPELINE_SOURCE == "schedule"',
  },
];

function commandOf({ name }: RecipeJob, stacks: readonly string[]): string {
  // A folder whose name begins with a hyphen must not be read as an option.
  const folders = stacks.map((stack) => shellQuote(stack.startsWith("-") ? `./${stack}` : stack));
  return ["svc", name, ...folders, ...(name === "apply" ? ["--yes"] : [])].join(" ");
}

function githubJob(job: RecipeJob, stacks: readonly string[]): string {
  return `  ${job.name}:
    if: ${job.condition}
    runs-on: ubuntu-latest
    environment: ${job.environment}
${(job.more ?? []).map((line) => `${line}\n`).join("")}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - run: npm install --global "\${SVC_PACKAGE:?names the package of svc}"
      - run: |
          ${commandOf(job, stacks)} --output markdown >>"$GITHUB_STEP_SUMMARY"
        env:
          SVC_API_KEY: \${{ secrets.SVC_API_KEY }}
          SVC_FINGERPRINT_KEY: \${{ secrets.SVC_FINGERPRINT_KEY }}
`;
}

function githubText({ stacks, version }: RecipeNames): string {
  return `# Plans pull requests, applies what is merged to main, and looks for drift every morning.
# The variable SVC_PACKAGE is the path or HTTPS address of the package of svc, svc-as-code-${version}.tgz.
# The variable SVC_API_URL names the server, and SVC_OIDC_AUDIENCE the audience of two workload trusts (svc workload-trusts): one
# with the claim "environment: plan" that may read, and one with "environment: production" that may write. Without trusts, the
# secret SVC_API_KEY of each environment has such a key. Secrets in manifests need SVC_FINGERPRINT_KEY in both. Let only main
# deploy to "production".
name: svc
on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "0 6 * * *"
permissions:
  contents: read
  id-token: write
env:
  SVC_PACKAGE: \${{ vars.SVC_PACKAGE }}
  SVC_API_URL: \${{ vars.SVC_API_URL }}
  SVC_OIDC_AUDIENCE: \${{ vars.SVC_OIDC_AUDIENCE }}
jobs:
${githubJobs.map((job) => githubJob(job, stacks)).join("")}`;
}

function gitlabJob(job: RecipeJob, stacks: readonly string[]): string {
  return `svc-${job.name}:
  extends: .svc
  environment: ${job.environment}
${(job.more ?? []).map((line) => `${line}\n`).join("")}  rules:
    - if: ${job.condition}
  script:
    - |
      ${commandOf(job, stacks)}
`;
}

function gitlabText({ stacks, version }: RecipeNames): string {
  return `# Plans merge requests, applies what is merged, and looks for drift on a schedule. Include this file in .gitlab-ci.yml.
# The variable SVC_PACKAGE is the path or HTTPS address of the package of svc, svc-as-code-${version}.tgz.
# The variable SVC_API_URL names the server, and SVC_OIDC_AUDIENCE the audience of two workload trusts (svc workload-trusts): one
# with the claim "environment: plan" that may read, and one with "environment: production" that may write. Without trusts, the
# id_tokens go, and SVC_API_KEY of each environment has such a key. Secrets in manifests need SVC_FINGERPRINT_KEY in both.
# Protect "production" and its variables.
.svc:
  image: node:24
  id_tokens:
    SVC_OIDC_TOKEN: { aud: $SVC_OIDC_AUDIENCE }
  before_script:
    - npm install --global "\${SVC_PACKAGE:?names the package of svc}"
${gitlabJobs.map((job) => gitlabJob(job, stacks)).join("")}`;
}
