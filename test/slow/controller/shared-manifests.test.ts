// Tests a Git source whose Stack declares manifests outside its folder: they are fetched within the limits of a fetch and of
// the repository.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../core/limits/limits.ts";
import { initStack } from "../../../reconciler/index.ts";
import { kinds } from "../../../resources/index.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "../../controller/fixture.ts";
import { documentText } from "../../support/test-stack.ts";

let fixture: ControllerFixture;
let repository: string;
beforeEach(async () => {
  fixture = await openControllerFixture();
  repository = join(fixture.home, "repository");
  fixture.write("repository/base/groups.yaml", documentText(groupDocument("${stage}-base")));
  fixture.write("repository/unrelated/large.yaml", documentText(groupDocument("unrelated")));
  stack(["*.yaml", "../../base/**/*.yaml"]);
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit();
});
afterEach(() => fixture.close());

const minute = 60_000;
const source = () => ({ git: { url: repository, branch: "main", path: "stages/production" } });

/** Writes the Stack of production with globs. */
function stack(manifests: readonly string[]): void {
  fixture.write(
    "repository/stages/production/stack.yaml",
    JSON.stringify({
      apiVersion: "svc/v1",
      kind: "Stack",
      metadata: { name: "northwind" },
      spec: { inventory: "file", policy: { prune: true }, variables: { stage: "p" }, manifests },
    }),
  );
}

function commit(): string {
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "--allow-empty", "-m", "next");
  return fixture.git(repository, "rev-parse", "HEAD").trim();
}

describe("manifests outside the folder of the Stack", () => {
  it("are checked out with it, and nothing else is", async () => {
    const running = await fixture.start([source()]);
    expect(running.events[1]).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["p-base"]);
    fixture.write("repository/base/more/groups.yaml", documentText(groupDocument("more")));
    const pushed = commit();
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "applied",
      commit: pushed,
    });
    expect(await fixture.groupNames()).toEqual(["more", "p-base"]);
    const tree = join(fixture.home, "state/sources/northwind/checkouts", pushed);
    expect(readdirSync(tree).toSorted()).toEqual([".git", "base", "stages"]);
  });

  it("may be a file, and a glob from the root of the repository", async () => {
    stack(["../../base/groups.yaml", "../../{un,}related/*.yaml"]);
    commit();
    expect(await fixture.reconcileOnce([source()])).toMatchObject([{ result: "applied" }]);
    expect(await fixture.groupNames()).toEqual(["p-base", "unrelated"]);
  });

  it("that the commit does not have are an error, and delete nothing", async () => {
    const running = await fixture.start([source()]);
    rmSync(join(repository, "base"), { recursive: true });
    commit();
    const event = await running.advanceAndWait(minute);
    expect(event).toMatchObject({ result: "invalid" });
    expect(JSON.stringify(event)).toContain("matches no YAML");
    expect(await fixture.groupNames()).toEqual(["p-base"]);
  });

  it("cannot be outside the repository, although another one contains the state of the controller", async () => {
    fixture.git(fixture.home, "init", "--quiet");
    const up = "../".repeat(6);
    fixture.stack("state/sources/other", [groupDocument("stolen")]);
    stack([`${up}sources/other/documents.yaml`]);
    commit();
    const [event] = await fixture.reconcileOnce([source()]);
    expect(event).toMatchObject({ result: "invalid" });
    expect(JSON.stringify(event)).toContain("leaves the repository of the Stack");
    expect(await fixture.groupNames()).toEqual([]);
  });

  it("count towards the limits of a checkout", async () => {
    stack(["*.yaml", "../../many/*.yaml"]);
    commit();
    const blob = fixture.git(repository, "rev-parse", "HEAD:base/groups.yaml").trim();
    const names = Array.from({ length: limits.checkoutFiles }, (_, at) => `many/${at}.yaml`);
    execFileSync("git", ["update-index", "--add", "--index-info"], {
      cwd: repository,
      env: fixture.env,
      input: names.map((name) => `100644 blob ${blob}\t${name}\n`).join(""),
    });
    fixture.git(repository, "commit", "--quiet", "-m", "many");
    expect(await fixture.reconcileOnce([source()])).toMatchObject([
      { result: "failed", failure: { code: "too_large" } },
    ]);
    stack(["*.yaml", "../../base/*.yaml"]);
    fixture.git(repository, "commit", "--quiet", "-m", "fewer", "stages");
    expect(await fixture.reconcileOnce([source()])).toMatchObject([{ result: "applied" }]);
  });

  it("equal the manifests of the starter with environments", async () => {
    const folder = join(fixture.home, "started");
    const example = kinds.find(({ name }) => name === "UserGroup");
    if (example === undefined) throw new Error("no UserGroup");
    const name = "northwind";
    await initStack({ folder, name, starter: "environments", example, schema: {} });
    fixture.git(folder, "init", "--quiet", "--initial-branch=main");
    fixture.git(folder, "add", "--all");
    fixture.git(folder, "commit", "--quiet", "-m", "begin");
    const git = { url: folder, branch: "main", path: "stages/production" };
    const [event] = await fixture.reconcileOnce([{ stack: "northwind-production", git }]);
    expect(event).toMatchObject({ result: "applied" });
  });
});
