// Creates a stack in a real Git repository with a bare remote, whose manifests pin versions, and applies what is committed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeployments, olderVersion, type PromotionFixture } from "./fixture.ts";

/** The repository of a scene. */
export interface TestRepository {
  /** The environment for running Git. */
  readonly env: Readonly<Record<string, string>>;
  readonly git: (...args: readonly string[]) => string;
  /** Runs Git in the bare repository behind it. */
  readonly gitInOrigin: (...args: readonly string[]) => string;
  read(): string;
  write(text: string): void;
  readonly dispose: () => void;
}

/** Hand-written manifests, with comments, all types of quotes, and an individual layout. */
export const initialManifests = defaultDeployments
  .map(({ name, channel }, index) => {
    const quote = ["", '"', "'", ""][index] ?? "";
    const prefix = index === 3 ? "v" : "";
    return `# ${name}: ask the platform team
apiVersion: svc/v1
kind: Deployment
metadata: { name: ${name} }   # stays
spec:
  name: ${name}
  region:   aws-us-east-1
  release:
      channel: ${channel}
      version: ${quote}${prefix}${olderVersion}${quote}   # promoted by svc
`;
  })
  .join("---\n");

/** Puts the stack of a scene under Git, with pinned versions and an upstream. */
export function createRepository(
  { stack }: Pick<PromotionFixture, "stack">,
  manifests = initialManifests,
): TestRepository {
  const bare = mkdtempSync(join(tmpdir(), "svc-origin-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: bare,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
  const run = (cwd: string, args: readonly string[]): string =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const git = (...args: readonly string[]): string => run(stack.folder, args);
  const file = join(stack.folder, "documents.yaml");
  writeFileSync(file, manifests);
  writeFileSync(join(stack.folder, ".gitignore"), ".svc/\n.config/\n");
  run(bare, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "begin");
  git("remote", "add", "origin", bare);
  git("push", "--quiet", "--set-upstream", "origin", "main");
  return {
    env,
    git,
    gitInOrigin: (...args) => run(bare, args),
    read: () => readFileSync(file, "utf8"),
    write: (text) => writeFileSync(file, text),
    dispose: () => rmSync(bare, { recursive: true, force: true }),
  };
}
