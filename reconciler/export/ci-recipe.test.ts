// Tests the recipes for CI systems: valid YAML, one job for each command, and write access only for merged changes.
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { ciRecipe } from "./ci-recipe.ts";

interface GithubRecipe {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly if: string;
        readonly environment: string;
        readonly concurrency?: string;
        readonly steps: readonly { readonly run?: string }[];
      }
    >
  >;
}

interface GitlabJob {
  readonly environment: unknown;
  readonly rules: readonly { readonly if: string }[];
  readonly script: readonly string[];
}

const github = (stacks: readonly string[], version = "0.1.0") =>
  parse(ciRecipe("github", { stacks, version }).text) as GithubRecipe;
const gitlab = (stacks: readonly string[], version = "0.1.0") =>
  parse(ciRecipe("gitlab", { stacks, version }).text) as Readonly<Record<string, GitlabJob>>;

/** The line that each job runs svc with. */
function githubCommands(stacks: readonly string[]): readonly string[] {
  return Object.values(github(stacks).jobs).map(({ steps }) => steps.at(-1)?.run ?? "");
}

function gitlabCommands(stacks: readonly string[]): readonly string[] {
  const recipe = gitlab(stacks);
  return ["plan", "apply", "drift"].map((name) => recipe[`svc-${name}`]?.script[0] ?? "");
}

describe("the recipe for GitHub", () => {
  it("is a workflow with one job for each command", () => {
    expect(ciRecipe("github", { stacks: ["."], version: "1" }).path).toBe(
      ".github/workflows/svc.yml",
    );
    expect(githubCommands(["."])).toEqual([
      'svc plan . --output markdown >>"$GITHUB_STEP_SUMMARY"\n',
      'svc apply . --yes --output markdown >>"$GITHUB_STEP_SUMMARY"\n',
      'svc drift . --output markdown >>"$GITHUB_STEP_SUMMARY"\n',
    ]);
    expect(github(["."]).env["SVC_PACKAGE"]).toBe("${{ vars.SVC_PACKAGE }}");
    for (const provider of ["github", "gitlab"] as const) {
      const { text } = ciRecipe(provider, { stacks: ["."], version: "1.2.3" });
      expect(text).toContain("svc-as-code-1.2.3.tgz");
      expect(text).not.toMatch(/npm install.*svc-as-code/u);
    }
  });

  it("applies only what is pushed to main, one run at a time, and plans no pull request of a fork", () => {
    const { on, jobs, permissions } = github(["."]);
    expect(on["push"]).toEqual({ branches: ["main"] });
    expect(jobs["apply"]).toMatchObject({
      if: "github.event_name == 'push'",
      environment: "production",
      concurrency: "svc-apply",
    });
    expect(jobs["plan"]?.if).toContain("head.repo.full_name == github.repository");
    expect([jobs["plan"]?.environment, jobs["drift"]?.environment]).toEqual(["plan", "plan"]);
    expect(permissions).toEqual({ contents: "read", "id-token": "write" });
  });
});

describe("the recipe for GitLab", () => {
  it("has one job for each command, and an environment that may write only for applies", () => {
    expect(ciRecipe("gitlab", { stacks: ["."], version: "1" }).path).toBe("svc.gitlab-ci.yml");
    expect(gitlabCommands(["."])).toEqual(["svc plan .\n", "svc apply . --yes\n", "svc drift .\n"]);
    const recipe = gitlab(["."]);
    const read = { name: "plan", action: "access" };
    expect(recipe["svc-plan"]?.environment).toEqual(read);
    expect(recipe["svc-drift"]?.environment).toEqual(read);
    expect(recipe["svc-apply"]).toMatchObject({
      environment: "production",
      resource_group: "svc-apply",
      rules: [{ if: expect.stringContaining("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH") }],
    });
  });
});

describe.each([
  ["github", githubCommands],
  ["gitlab", gitlabCommands],
] as const)("the folders of stacks in the recipe for %s", (_, commands) => {
  it("are all named, in their order", () => {
    expect(commands(["stages/test", "stages/production"])[0]).toMatch(
      /^svc plan stages\/test stages\/production( |\n)/u,
    );
  });

  it.each([
    ["a space", "my stack", "'my stack'"],
    ["a quote", "jo's", String.raw`'jo'\''s'`],
    ["a substitution", "$(id)", "'$(id)'"],
    ["a comment", "a #b", "'a #b'"],
    ["letters outside of ASCII", "größe", "'größe'"],
    ["a first hyphen", "-rf", "./-rf"],
    ["a first hyphen and a space", "-r f", "'./-r f'"],
  ])("are one argument of the shell with %s", (_name, folder, quoted) => {
    expect(commands([folder])[0]?.startsWith(`svc plan ${quoted}`)).toBe(true);
  });
});
