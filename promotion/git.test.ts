// Tests of the refusals of the local Git repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { push, repositoryAt } from "./git.ts";

it("says what to do in a folder without a repository", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-no-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
    code: "refused",
    message: `${folder} is not in a Git working tree`,
    remedy: expect.stringContaining("pass --direct"),
  });
});

/** Creates an empty repository, which is removed after the test. */
function emptyRepository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-repository-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder]);
  return folder;
}

it("takes a bare repository for none", async () => {
  const folder = emptyRepository();
  execFileSync("git", ["-C", folder, "config", "core.bare", "true"]);
  await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
    code: "refused",
    message: `${folder} is not in a Git working tree`,
  });
});

it.each(["main", "feature"])(
  "says to commit first on branch %s without a commit",
  async (branch) => {
    const folder = emptyRepository();
    execFileSync("git", ["-C", folder, "symbolic-ref", "HEAD", `refs/heads/${branch}`]);
    // The folder of other branches is not a branch.
    mkdirSync(join(folder, ".git/refs/heads/feature"), { recursive: true });
    await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
      code: "refused",
      message: `${folder} has no commit yet`,
      remedy: expect.stringContaining("git commit"),
    });
  },
);

describe("a push", () => {
  const person = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"];
  function cloned() {
    const remote = emptyRepository();
    const [git, ofRemote] = [emptyRepository(), remote].map(
      (at) =>
        (...args: readonly string[]): string =>
          execFileSync("git", ["-C", at, ...person, ...args], { encoding: "utf8" }),
    );
    const root = git?.("rev-parse", "--show-toplevel").trim() ?? "";
    git?.("remote", "add", "origin", `file://${remote}`);
    git?.("commit", "--quiet", "--allow-empty", "--message=first");
    const pushed = async (): Promise<void> =>
      push(await repositoryAt(root, process.env), process.env);
    return { remote, ofRemote, pushed };
  }

  it("to a branch with other commits is a conflict", async () => {
    const { ofRemote, pushed } = cloned();
    ofRemote?.("commit", "--quiet", "--allow-empty", "--message=theirs");
    await expect(pushed()).rejects.toMatchObject({
      code: "conflict",
      remedy: expect.stringContaining("update the branch"),
    });
  });

  function hook(remote: string, name: "pre-receive" | "update", ...lines: readonly string[]): void {
    mkdirSync(join(remote, ".git/hooks"), { recursive: true });
    const text = ["#!/bin/sh", ...lines, ""].join("\n");
    writeFileSync(join(remote, ".git/hooks", name), text, { mode: 0o755 });
  }

  it("that loses a race for the branch is a conflict", async () => {
    const { remote, ofRemote, pushed } = cloned();
    ofRemote?.("config", "receive.denyCurrentBranch", "ignore");
    const theirs = `git ${person.join(" ")} commit-tree -m theirs $3^{tree}`;
    hook(remote, "update", `git update-ref $1 $(${theirs})`);
    await expect(pushed()).rejects.toMatchObject({ code: "conflict" });
  });

  it.each([
    ["protected branch", "", "use a pull request", ""],
    ["policy: ! [rejected] (fetch first)", "see the policy"],
    ["x".repeat(600)],
  ])("that the remote does not accept says why, and how to go on: %s", async (...said) => {
    const { remote, pushed } = cloned();
    hook(remote, "pre-receive", ...said.map((line) => `echo '${line}'`), "exit 1");
    const texts = said.filter((line) => line !== "").map((line) => `remote: ${line.slice(0, 400)}`);
    await expect(pushed()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(
        `rejected (pre-receive hook declined): git push failed: ${texts.join("; ")}`,
      ),
      remedy: expect.stringContaining("changes: pull-request"),
    });
  });

  it("to a remote that cannot be read fails as Git says", async () => {
    const { remote, pushed } = cloned();
    rmSync(join(remote, ".git"), { recursive: true });
    await expect(pushed()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("does not appear to be a git repository"),
    });
  });
});

describe("in a damaged repository", () => {
  it.each<[string, (gitFolder: string) => void]>([
    ["the file of the branch is empty", (at) => writeFileSync(join(at, "refs/heads/main"), "")],
    ["the file of the branch is missing", (at) => rmSync(join(at, "refs/heads/main"))],
    ["the commit is missing", (at) => rmSync(join(at, "objects"), { recursive: true })],
  ])("says that Git cannot read the commit if %s", async (_, damage) => {
    const folder = emptyRepository();
    const person = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"];
    const commit = ["commit", "--quiet", "--allow-empty", "--message=first"];
    execFileSync("git", ["-C", folder, ...person, ...commit]);
    damage(join(folder, ".git"));
    mkdirSync(join(folder, ".git", "objects"), { recursive: true });
    await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
      code: "refused",
      message: `the repository ${folder} is damaged: Git cannot read the commit that is checked out`,
      remedy: expect.stringContaining("git fsck"),
    });
  });

  it("reports what Git says of its configuration", async () => {
    const folder = emptyRepository();
    writeFileSync(join(folder, ".git", "config"), "[[");
    await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("bad config line 1"),
    });
  });
});
