// Tests random configurations with real Terraform: no plan or apply reports an inconsistent result or leaves a difference.
import { expect, it } from "vitest";
import {
  prepareAccount,
  everyKind,
  everyKindChanged,
  everySingleton,
  everySingletonChanged,
} from "../../support/every-kind.ts";
import { runsAllCases } from "../../support/sampling.ts";
import { setUpTerraformFixture } from "../../engines/terraform-fixture.ts";
import { randomConfiguration, randomFrom } from "../../engines/terraform-random.ts";
import { describeWithEngines, type Workspace } from "../../engines/terraform-workspace.ts";

/** Messages with which Terraform reports a provider that breaks the protocol's rules. */
const providerFault =
  /inconsistent|produced an? (?:invalid|unexpected)|bug in the provider|invalid result object|did not respond|Unsupported attribute|stack trace/iu;

/** More seeds for a longer run: `SVC_TERRAFORM_SEEDS=100 npx vitest run test/engines/terraform-random.test.ts`. */
const seeds = Number(process.env["SVC_TERRAFORM_SEEDS"] ?? 1);
const firstSeed = Number(process.env["SVC_TERRAFORM_SEED"] ?? 1);

describeWithEngines("random configurations", (engine) => {
  let workspace: Workspace;
  setUpTerraformFixture(engine, (fixture) => {
    workspace = fixture.workspace;
    prepare = () => prepareAccount(fixture.service);
  });
  let prepare: () => Promise<void>;

  const run = async (...args: readonly string[]) => {
    const result = await workspace.run(...args);
    const fault = providerFault.exec(result.output);
    expect(fault === null ? "" : `${workspace.text}\n${result.output}`).toBe("");
    return result;
  };

  it.each(Array.from({ length: seeds }, (_, at) => firstSeed + at))(
    "of seed %d are planned and applied consistently",
    async (seed) => {
      const random = randomFrom(seed);
      await prepare();
      const first = [...everyKind, ...everySingleton];
      const changed = [...everyKindChanged, ...everySingletonChanged];
      // The third round draws new values for the first documents.
      const rounds = runsAllCases ? [first, changed, first] : [first, changed];
      for (const [round, documents] of rounds.entries()) {
        await workspace.write(randomConfiguration(documents, random, round));
        const { code } = await run("apply", "-auto-approve");
        const again = await run("plan", "-detailed-exitcode");
        // After a complete apply, nothing is left to do.
        const isClean = code !== 0 || again.code === 0;
        expect(isClean ? "" : `${workspace.text}\n${again.output}`).toBe("");
      }
      await run("destroy", "-auto-approve");
    },
  );
});
