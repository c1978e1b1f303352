// Lists the `sh` blocks whose commands the test of pages cannot run, each with a reason and, if possible, the test that runs
// the same program.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

interface UnrunBlock {
  readonly page: string;
  /** The first line of the block. */
  readonly starts: string;
  readonly reason: string;
  /** The test or the script that runs the same commands. */
  readonly checkedBy?: string;
}

const registry = "installs packages from a registry that does not have them yet";
const wholeProject = "runs the whole test suite or build, of which this test is a part";
const engine = "needs the binary of the engine, which not every machine has";

const unrun: readonly UnrunBlock[] = [
  {
    page: "CONTRIBUTING.md",
    starts: "npm test ",
    reason: wholeProject,
    checkedBy: ".ci/run",
  },
  {
    page: "bench/README.md",
    starts: "npm run bench ",
    reason: "takes minutes and measures time",
    checkedBy: ".ci/run",
  },
  {
    page: "docs/how-to/connect-git.md",
    starts: "svc git connect main https://",
    reason: "needs a repository at GitHub and its credentials",
    checkedBy: "test/contract/git-ssh.test.ts",
  },
  {
    page: "docs/how-to/embed-in-a-page.md",
    starts: "export DEPLOYMENT_ID",
    reason: "needs the service of `npm start`, and shows its result in a browser",
    checkedBy: "test/examples/embedding.test.ts",
  },
  {
    page: "docs/how-to/embed-in-a-page.md",
    starts: "svc embed sessions list --tenant",
    reason: "ends the session of a browser",
    checkedBy: "test/examples/embedding.test.ts",
  },
  {
    page: "docs/how-to/host-on-postgresql.md",
    starts: "export SVC_DATABASE_URL",
    reason: "needs a PostgreSQL server",
    checkedBy: "test/replicas/replicas.test.ts",
  },
  {
    page: "docs/how-to/host-the-service.md",
    starts: "npm install ./svc-as-code-0.1.0.tgz ./svc-as-code-service-0.1.0.tgz",
    reason: registry,
    checkedBy: "test/slow/examples/packages.test.ts",
  },
  {
    page: "docs/how-to/host-the-service.md",
    starts: "svc inventory move stacks/sales --former-url",
    reason: "needs a stack that was applied to another address",
    checkedBy: "test/slow/safety/server-address.test.ts",
  },
  {
    page: "docs/how-to/run-the-controller.md",
    starts: "svc inventory move /var/lib/svc/sources/northwind/kept",
    reason: "needs the state folder of a controller",
    checkedBy: "test/controller/server-address.test.ts",
  },
  {
    page: "docs/how-to/host-the-service.md",
    starts: "kubectl -n svc create secret",
    reason: "needs a cluster",
    checkedBy: "test/examples/deploy.test.ts",
  },
  {
    page: "docs/how-to/install.md",
    starts: "npm install --global ./svc-as-code-0.1.0.tgz",
    reason: registry,
    checkedBy: "test/slow/examples/packages.test.ts",
  },
  {
    page: "docs/how-to/install.md",
    starts: "export SVC_UPDATE_REPO",
    reason: "downloads a release",
    checkedBy: "test/slow/golden/release.test.ts",
  },
  {
    page: "docs/how-to/install.md",
    starts: "npm run build",
    reason: "builds both packages, which takes minutes",
    checkedBy: "test/slow/examples/packages.test.ts",
  },
  {
    page: "docs/how-to/install.md",
    starts: "npm ci",
    reason: "installs all packages again and builds both, which takes minutes",
    checkedBy: "test/slow/examples/packages.test.ts",
  },
  {
    page: "docs/how-to/install.md",
    starts: "docker build",
    reason: "builds an image, which needs Docker",
    checkedBy: "test/slow/golden/release.test.ts",
  },
  {
    page: "docs/how-to/move-between-tools.md",
    starts: "pulumi state delete ",
    reason: engine,
    checkedBy: "test/slow/engines/pulumi/import.test.ts",
  },
  {
    page: "docs/how-to/run-the-controller.md",
    starts: "svc controller plan northwind",
    reason: "needs a plan that a running controller holds",
    checkedBy: "test/controller/command.test.ts",
  },
  {
    page: "docs/how-to/run-the-controller.md",
    starts: "svc controller suspend northwind",
    reason: "needs the state folder of a controller",
    checkedBy: "test/controller/command.test.ts",
  },
  {
    page: "docs/how-to/run-the-controller.md",
    starts: "svc controller list --url",
    reason: "needs a controller that listens",
    checkedBy: "test/controller/command.test.ts",
  },
  {
    page: "docs/how-to/sign-in.md",
    starts: "svc login --url",
    reason: "waits for a person in a browser",
    checkedBy: "test/contract/login.test.ts",
  },
  {
    page: "docs/how-to/use-in-ci.md",
    starts: "set -e\nsvc stacks",
    reason: "needs a repository with several stacks",
    checkedBy: "test/examples/ci.test.ts",
  },
  {
    page: "docs/how-to/use-in-ci.md",
    starts: "svc publish --name plan --state pending",
    reason: "needs a Git host",
    checkedBy: "test/examples/ci.test.ts",
  },
  {
    page: "docs/how-to/sync-a-transformation-project.md",
    starts: "svc sync start main --ref",
    reason: "needs the repository of the integration and a branch of a merge request",
    checkedBy: "test/contract/sync-commands.test.ts",
  },
  {
    page: "docs/how-to/use-in-ci.md",
    starts: "git pull && ci/inventory.sh get\nsvc promote hold",
    reason: "needs a pipeline whose inventories are on a branch",
    checkedBy: "test/slow/examples/ci-promotion.test.ts",
  },
  {
    page: "docs/how-to/use-in-ci.md",
    starts: "git pull && ci/inventory.sh get\nsvc promote rollback",
    reason: "needs a pipeline whose inventories are on a branch",
    checkedBy: "test/slow/examples/ci-promotion.test.ts",
  },
  {
    page: "docs/how-to/use-pulumi.md",
    starts: "npm install ./svc-as-code-0.1.0.tgz @pulumi/pulumi",
    reason: registry,
    checkedBy: "test/slow/engines/pulumi/plugin.test.ts",
  },
  {
    page: "docs/how-to/use-pulumi.md",
    starts: "pulumi import",
    reason: engine,
    checkedBy: "test/slow/engines/pulumi/import.test.ts",
  },
  {
    page: "docs/how-to/use-terraform.md",
    starts: "svc plugin install terraform",
    reason: engine,
    checkedBy: "test/engines/terraform-install.test.ts",
  },
  {
    page: "docs/how-to/use-terraform.md",
    starts: "npm init -y",
    reason: registry,
    checkedBy: "test/slow/engines/cdk.test.ts",
  },
  {
    page: "docs/reference/manifests.md",
    starts: "node customers.ts",
    reason: "needs the installed package",
    checkedBy: "test/slow/examples/printed-manifests.test.ts",
  },
];

interface Block {
  readonly page: string;
  readonly text: string;
}

/** Returns the blocks of a language in the hand-written pages. */
function blocksOf(language: string): readonly Block[] {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    ...globSync("{docs,examples,bench,packaging}/**/*.md", { cwd: root }),
  ] // The generated pages show the examples that `--help` shows.
    .filter((page) => !/^docs\/(?:terraform|reference\/cli)\//u.test(page));
  const block = new RegExp(`^\\s*\`\`\`${language}\\n([\\s\\S]*?)^\\s*\`\`\``, "gmu");
  return pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(block)].map(([, text = ""]) => ({
      page,
      text,
    })),
  );
}

const blocks = blocksOf("(?:sh|bash|shell)");

describe("the commands that no page test runs", () => {
  it("are in this list, each with its reason", () => {
    const unknown = blocks.filter(
      ({ page, text }) => !unrun.some((one) => one.page === page && text.startsWith(one.starts)),
    );
    expect(unknown).toEqual([]);
    expect(blocks).toHaveLength(unrun.length);
  });

  it.each(unrun)("$page: $starts is in the page", ({ page, starts }) => {
    expect(blocks.filter((one) => one.page === page && one.text.startsWith(starts))).toHaveLength(
      1,
    );
  });

  it("are run in another form by tests that exist", () => {
    const named = unrun.flatMap(({ checkedBy }) => checkedBy ?? []);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe("the unit for systemd", () => {
  it.skipIf(!hasSystemd)("is one that systemd accepts", () => {
    const [unit, ...others] = blocksOf("ini").filter(({ text }) => text.includes("[Service]"));
    expect(others).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "svc-unit-"));
    try {
      // The program of the page is not installed here.
      const text = unit?.text.replace("/usr/local/bin/svc", process.execPath) ?? "";
      expect(text).toContain(process.execPath);
      writeFileSync(join(folder, "svc.service"), text);
      const checked = spawnSync("systemd-analyze", ["verify", join(folder, "svc.service")], {
        encoding: "utf8",
      });
      expect(checked).toMatchObject({ status: 0, stderr: "" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
