// Tests the law of export: an export of any live service that is adopted leaves an empty plan.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Export, exportStack } from "../../../reconciler/export/export.ts";
import type { Split } from "../../../reconciler/export/files.ts";
import type { Plan } from "../../../reconciler/model/index.ts";
import { adopt } from "../../../reconciler/adopt.ts";
import { plan } from "../../../reconciler/plan.ts";
import { kinds } from "../../../resources/index.ts";
import { propertyRuns } from "../../support/arbitrary-values.ts";
import { assertProperty } from "../../support/assert-property.ts";
import { everyKind } from "../../support/every-kind.ts";
import { liveState } from "../../support/live-state.ts";
import type { TestService } from "../../support/test-service.ts";
import { type Doc, changeSummaries, type TestStack } from "../../support/test-stack.ts";
import { anyStack } from "../../support/arbitrary-stacks.ts";
import { type TestEnvironments, withTestEnvironments } from "../../support/test-environments.ts";

const timeout = 600_000;

/** The kinds whose objects get documents if all are exported: entries of lists are in the documents with the lists. */
const exportedKinds = kinds.filter((kind) => kind.entryOf === undefined);

/** Runs `work` against a service on which a stack was applied. */
async function withLive<T>(
  environments: TestEnvironments,
  documents: readonly Doc[],
  work: (service: TestService, stack: TestStack) => Promise<T>,
): Promise<T> {
  return environments.use(async ({ service, stack }) => {
    await stack.write(documents);
    // A subscription creates its external user, so that a document for that user adopts it.
    const { outcomes } = await stack.apply({ adopt: () => true });
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    return work(service, stack);
  });
}

/** Exports everything into a separate folder and adopts it from there. Returns the remaining changes of a plan. */
async function exportAndAdopt(stack: TestStack, split: Split) {
  const { options } = stack;
  const { connection } = options;
  const folder = await mkdtemp(join(tmpdir(), "svc-export-"));
  try {
    const exported = await exportStack({ connection, kinds, split, stack: "taken" });
    await writeFiles(folder, exported);
    const own = { ...options, paths: [folder], cwd: folder };
    const taken = await adopt(own);
    const planned = await plan(own);
    const again = await exportStack({ connection, kinds, split, stack: "taken" });
    expect(again).toEqual(exported);
    return { exported, taken, planned };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the changes of a plan. Adopting does not record values that reports hide; the next apply does. */
function pendingChanges({ changes }: Plan): readonly string[] {
  return changeSummaries(
    changes.filter(
      ({ action, secrets, notVerifiable }) =>
        action !== "none" || (secrets === undefined && notVerifiable.length === 0),
    ),
  );
}

async function writeFiles(folder: string, { files }: Export): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

describe("what is exported and adopted", () => {
  it("leaves nothing to plan, for any stack that was applied", { timeout }, async () => {
    const splits = fc.constantFrom<Split>("one", "kind", "parent");
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(anyStack, splits, (documents, split) =>
          withLive(environments, documents, async (service, stack) => {
            const { exported, taken, planned } = await exportAndAdopt(stack, split);
            if (!taken.ok || !planned.ok) throw new Error(JSON.stringify(planned.diagnostics));
            expect(pendingChanges(planned.plan)).toEqual([]);
            expect(taken.adopted).toHaveLength(exported.declared);
            expect(exported.declared + exported.incomplete).toBe(
              Object.keys(await liveState(service, exportedKinds)).length,
            );
          }),
        ),
        propertyRuns(0.01),
      ),
    );
  });

  it("leaves nothing to record of deployments on a channel", async () => {
    const on = (name: string, release: JsonObject): Doc => ({
      kind: "Deployment",
      name,
      spec: { name, region: "aws-us-east-1", release },
    });
    const documents = [
      on("site", { channel: "latest" }),
      on("held", { channel: "latest", hold: true }),
    ];
    await withTestEnvironments((environments) =>
      withLive(environments, documents, async (_, stack) => {
        await stack.loseInventory();
        expect(await stack.adopt()).toHaveLength(documents.length);
        expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
        const { planned } = await exportAndAdopt(stack, "one");
        if (!planned.ok) throw new Error(JSON.stringify(planned.diagnostics));
        expect(changeSummaries(planned.plan.changes)).toEqual([]);
      }),
    );
  });

  it("holds every kind, each object of which is declared or listed in a comment", async () => {
    await withTestEnvironments((environments) =>
      withLive(environments, everyKind, async (_, stack) => {
        const { exported, planned } = await exportAndAdopt(stack, "kind");
        if (!planned.ok) throw new Error(JSON.stringify(planned.diagnostics));
        expect(pendingChanges(planned.plan)).toEqual([]);
        expect(exported.files.map(({ path }) => path)).toEqual([
          "stack.yaml",
          ...exportedKinds.map(({ plural }) => `${plural}.yaml`).toSorted(),
        ]);
      }),
    );
  });
});
