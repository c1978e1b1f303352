// The example in Terraform's own language reaches the same live state as the manifests that it was written from.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/grants.ts";
import { apply } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { liveState } from "../support/live.ts";
import { startService } from "../support/service.ts";
import { makeWorkspace, underEngines } from "./terraform.ts";

const examples = join(import.meta.dirname, "..", "..", "examples");

underEngines("examples/terraform", (engine) => {
  it("comes to what examples/quickstart comes to, and then there is nothing to do", async () => {
    const [ours, theirs] = [await startService(), await startService()];
    const env = { SVC_API_URL: theirs.url, SVC_API_KEY: theirs.adminKey };
    const workspace = await makeWorkspace(engine, env);
    try {
      cpSync(join(examples, "terraform", "main.tf"), join(workspace.folder, "main.tf"));
      for (const args of [["init"], ["apply", "-auto-approve"], ["plan", "-detailed-exitcode"]]) {
        const { code, output } = await workspace.run(...args);
        if (code !== 0) throw new Error(output);
      }
      const stack = join(workspace.folder, "quickstart");
      cpSync(join(examples, "quickstart"), stack, { recursive: true });
      const verdict = await apply({
        paths: [stack],
        cwd: stack,
        kinds,
        variables: {},
        grants: noGrants,
        env: { XDG_CONFIG_HOME: stack },
        connection: { url: ours.url, credential: new Secret(ours.adminKey) },
        approve: async () => true,
      });
      expect(verdict.ok).toBe(true);
      expect(await liveState(theirs)).toEqual(await liveState(ours));
    } finally {
      await workspace.dispose();
      await ours.close();
      await theirs.close();
    }
  });
});
