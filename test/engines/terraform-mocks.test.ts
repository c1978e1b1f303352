// Tests `terraform test` with a mocked provider and the defaults that the guide gives: every resource type passes the checks.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { everyKind } from "../support/every-kind.ts";
import { configurationFor, describeWithEngines, makeWorkspace } from "./terraform-workspace.ts";

const guide = join(import.meta.dirname, "../../docs/how-to/test-a-terraform-configuration.md");

describeWithEngines("a mocked provider", (engine) => {
  it("accepts a configuration with every resource type", async () => {
    const workspace = await makeWorkspace(engine, {});
    try {
      await workspace.write(configurationFor(everyKind));
      const blocks = (await readFile(guide, "utf8")).matchAll(/```terraform\n# (\S+)\n(.*?)```/gsu);
      for (const [, path = "", text = ""] of blocks) {
        await mkdir(join(workspace.folder, dirname(path)), { recursive: true });
        await writeFile(
          join(workspace.folder, path),
          text.replace(/^ {2}assert \{.*?^ {2}\}\n/msu, ""),
        );
      }
      expect(await workspace.run("init")).toMatchObject({ code: 0 });
      const { output } = await workspace.run("test", "-no-color");
      expect(output).toContain("Success! 1 passed, 0 failed.");
    } finally {
      await workspace.dispose();
    }
  });
});
