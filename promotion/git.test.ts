// Tests of the refusals of the local Git repository.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { repositoryAt } from "./git.ts";

it("says what to do in a folder without a repository", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-no-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
    code: "refused",
    message: `${folder} is not in a Git repository`,
    remedy: expect.stringContaining("pass --direct"),
  });
});

it("says to commit first in a repository without a commit", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-no-commit-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync("git", ["init", "--quiet", folder]);
  await expect(repositoryAt(folder, process.env)).rejects.toMatchObject({
    code: "refused",
    message: `${folder} has no commit yet`,
    remedy: expect.stringContaining("git commit"),
  });
});
