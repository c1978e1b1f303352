// Tests a program of every resource type: its plans are those of the reconciler, and what it applies is what it planned.
// test/engines/pulumi/provider-lifecycle.test.ts has the life of each type.
import { expect, it } from "vitest";
import { referredKinds } from "../../../../core/kind/references.ts";
import { propertiesOf } from "../../../../provider/pulumi/properties.ts";
import { kinds } from "../../../../resources/index.ts";
import { kindNamed } from "../../../conformance/registry-cases.ts";
import {
  prepareAccount,
  everyKind,
  everySingleton,
  shareOfKinds,
  singletons,
} from "../../../support/every-kind.ts";
import { liveState } from "../../../support/live-state.ts";
import { variedDocuments, planSummary, type PlanSummary } from "../../../support/plan-summary.ts";
import { startService } from "../../../support/test-service.ts";
import { type Doc, makeStack } from "../../../support/test-stack.ts";
import type { RunResult } from "../../../engines/pulumi/engine.ts";
import { programOf } from "../../../engines/pulumi/program.ts";
import { setUpStackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

/** Summarizes a preview field by field. */
function summaryOf({ errors, steps: taken }: RunResult): PlanSummary {
  expect(errors).toEqual([]);
  const summary = taken.flatMap(({ op, type, name, detailed = {} }): readonly string[] => {
    if (op === "create") return [`create ${name}`];
    if (op === "delete") return [];
    const fields = propertiesOf(kindNamed(type)).inputs;
    const names = new Map(fields.map((one) => [one.property, one.name]));
    const changed = Object.keys(detailed).map((path) => path.split(/[.[]/)[0] ?? "");
    return [...new Set(changed.map((one) => `${op} ${name} ${names.get(one) ?? one}`))];
  });
  return summary.toSorted();
}

/** Documents with updates, and with replacements of resources that no other resource refers to. */
const updated = variedDocuments("update");
const referred = new Set(kinds.flatMap((kind) => [...referredKinds(kind)]));
const leaves = variedDocuments("replace").map((one, index) =>
  referred.has(one.kind) ? (everyKind[index] ?? one) : one,
);

describeWithEngines("every kind in one program", (open) => {
  const fixture = setUpStackFixture(open);

  /**
   * Returns a share of the kinds: their documents, documents with updates, and documents with replacements of leaves.
   */
  function share(part: number, of: number) {
    const some = (documents: readonly Doc[]) => shareOfKinds(documents, { part, of });
    const declared = some(everyKind);
    return { declared, program: programOf(declared), some };
  }

  it("is planned as the reconciler plans it: create, update and replace", async () => {
    const { engine } = fixture;
    const { declared, program, some } = share(0, 2);
    const other = await startService();
    await prepareAccount(other);
    const manifests = await makeStack({ url: other.url, key: other.adminKey });
    try {
      await manifests.write(declared);
      expect(summaryOf(await engine.preview(program))).toEqual(await planSummary(manifests));
      expect((await engine.up(program)).errors).toEqual([]);
      await manifests.apply();
      for (const documents of [some(updated), some(variedDocuments("replace"))]) {
        await manifests.write(documents);
        const planned = await planSummary(manifests);
        expect(planned.length).toBeGreaterThan(0);
        expect(summaryOf(await engine.preview(programOf(documents)))).toEqual(planned);
      }
    } finally {
      await manifests.dispose();
      await other.close();
    }
  });

  it("is updated and replaced as planned, and a second run changes nothing", async () => {
    const { engine } = fixture;
    const { declared, program, some } = share(1, 2);
    expect(stepNames(await engine.up(program))).toHaveLength(declared.length);
    expect(some(leaves)).not.toEqual(declared);
    for (const documents of [some(updated), some(leaves)]) {
      const planned = stepNames(await engine.preview(programOf(documents)));
      expect(planned.length).toBeGreaterThan(2);
      expect(stepNames(await engine.up(programOf(documents)))).toEqual(planned);
      expect(stepNames(await engine.up(programOf(documents)))).toEqual([]);
    }
  });

  it("of singletons sets them, imports them and keeps their values when it is destroyed", async () => {
    const { engine, service } = fixture;
    const settings = programOf(everySingleton);
    expect(stepNames(await engine.up(settings)).toSorted()).toEqual(
      everySingleton.map(({ kind, name }) => `create ${kind}/${name}`).toSorted(),
    );
    const after = await liveState(service, singletons);
    for (const { kind, spec } of everySingleton)
      expect(after[`${kind}/account`]).toMatchObject(spec);
    expect(stepNames(await engine.refresh())).toEqual([]);
    expect(stepNames(await engine.up(settings))).toEqual([]);
    const other = await fixture.openStack();
    const imports = programOf(everySingleton, () => ({ import: "account" }));
    expect((await other.up(imports)).errors).toEqual([]);
    expect(stepNames(await engine.destroy())).toHaveLength(everySingleton.length);
    expect(await liveState(service, singletons)).toEqual(after);
  });
});
