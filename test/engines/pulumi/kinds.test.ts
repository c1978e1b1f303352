// Every kind in one program, by declaration: each step of a stack's life, held against the reconciler where it plans the same.
import { expect, it } from "vitest";
import { isShown } from "../../../core/fields.ts";
import { referredKinds } from "../../../core/references.ts";
import { propertiesOf } from "../../../provider/pulumi/properties.ts";
import { kinds } from "../../../resources/index.ts";
import { kindNamed } from "../../conformance/registry-cases.ts";
import { everyKind, createReferencedUsers } from "../../support/every-kind.ts";
import { liveState } from "../../support/live-state.ts";
import { variedDocuments, planSummary, type PlanSummary } from "../../support/plan-summary.ts";
import { startService } from "../../support/test-service.ts";
import { makeStack } from "../../support/test-stack.ts";
import type { Engine, RunResult } from "./engine.ts";
import { programOf } from "./program.ts";
import { setUpStackFixture } from "./stack-fixture.ts";
import { stepNames } from "./step-names.ts";
import { describeWithEngines } from "./each-engine.ts";

/** What a preview says, field by field. */
function summaryOf({ errors, steps: taken }: RunResult): PlanSummary {
  expect(errors).toEqual([]);
  const told = taken.flatMap(({ op, type, name, detailed = {} }): readonly string[] => {
    if (op === "create") return [`create ${name}`];
    if (op === "delete") return [];
    const fields = propertiesOf(kindNamed(type)).inputs;
    const names = new Map(fields.map((one) => [one.property, one.name]));
    const moved = Object.keys(detailed).map((path) => path.split(/[.[]/)[0] ?? "");
    return [...new Set(moved.map((one) => `${op} ${name} ${names.get(one) ?? one}`))];
  });
  return told.toSorted();
}

/** The same without what the API does not show whole: nobody sees that it was changed by another hand. */
function visibleChanges(all: PlanSummary): PlanSummary {
  return all.filter((one) => {
    const [, address = "", field] = one.split(" ");
    const kind = kindNamed(address.slice(0, address.indexOf("/")));
    const found = propertiesOf(kind).inputs.find(({ name }) => name === field);
    return found === undefined || isShown(found.schema);
  });
}

/** Changes in place, and replacements: what others refer to a thing by stays, and so does what they give values of. */
const updated = variedDocuments("update");
const referred = new Set(kinds.flatMap((kind) => [...referredKinds(kind)]));
const leaves = variedDocuments("replace").map((one, index) =>
  referred.has(one.kind) ? (everyKind[index] ?? one) : one,
);

describeWithEngines("every kind in one program", (open) => {
  const stage = setUpStackFixture(open);
  const count = everyKind.length;
  const program = programOf(everyKind);

  /** A stack that has taken over what another made. */
  async function takenOver(engine: Engine): Promise<Engine> {
    const other = await stage.openStack();
    const those = (await engine.resources()).filter(({ custom }) => custom);
    expect(stepNames(await other.import(those))).toHaveLength(count);
    return other;
  }

  it("is planned as the reconciler plans it: to be made, to change in place, and to be replaced", async () => {
    const { engine } = stage;
    const other = await startService();
    await createReferencedUsers(other);
    const manifests = await makeStack({ url: other.url, key: other.adminKey });
    try {
      await manifests.write(everyKind);
      expect(summaryOf(await engine.preview(program))).toEqual(await planSummary(manifests));
      expect((await engine.up(program)).errors).toEqual([]);
      await manifests.apply();
      for (const documents of [updated, variedDocuments("replace")]) {
        await manifests.write(documents);
        const planned = await planSummary(manifests);
        expect(planned.length).toBeGreaterThan(2);
        expect(summaryOf(await engine.preview(programOf(documents)))).toEqual(planned);
      }
    } finally {
      await manifests.dispose();
      await other.close();
    }
  });

  it("is changed in place and replaced as it was planned, and then there is nothing left", async () => {
    const { engine } = stage;
    expect(stepNames(await engine.up(program))).toHaveLength(count);
    expect(leaves).not.toEqual(everyKind);
    for (const documents of [updated, leaves]) {
      const planned = stepNames(await engine.preview(programOf(documents)));
      expect(planned.length).toBeGreaterThan(2);
      expect(stepNames(await engine.up(programOf(documents)))).toEqual(planned);
      expect(stepNames(await engine.up(programOf(documents)))).toEqual([]);
    }
  });

  it("is made, refreshed, left alone, imported by another stack, and destroyed", async () => {
    const { engine, service, initialState: bare } = stage;
    expect(stepNames(await engine.up(program))).toHaveLength(count);
    const after = await liveState(service);
    expect(stepNames(await engine.refresh())).toEqual([]);
    expect(stepNames(await engine.up(program))).toEqual([]);
    expect(await liveState(service)).toEqual(after);

    const other = await takenOver(engine);
    const left = await other.up(program);
    // Only what the API does not show is left to write.
    expect(visibleChanges(summaryOf(left))).toEqual([]);
    expect(left.steps.filter(({ op }) => op !== "update")).toEqual([]);
    expect(await liveState(service)).toEqual(after);
    expect(stepNames(await other.up(program))).toEqual([]);

    expect(stepNames(await engine.destroy())).toHaveLength(count);
    expect(await liveState(service)).toEqual(bare);
  });

  it("drifts by another hand: a refresh shows it, the next run puts it back, and makes again what is gone", async () => {
    const { engine } = stage;
    await engine.up(program);
    const other = await takenOver(engine);
    await other.up(program);
    const planned = await other.preview(programOf(updated));
    expect((await other.up(programOf(updated))).errors).toEqual([]);

    const seen = summaryOf(await engine.refresh());
    expect(seen.length).toBeGreaterThan(10);
    expect(visibleChanges(seen)).toEqual(visibleChanges(summaryOf(planned)));
    expect(summaryOf(await engine.preview(program))).toEqual(seen);
    expect(summaryOf(await engine.up(program))).toEqual(seen);
    expect(stepNames(await engine.up(program))).toEqual([]);

    expect((await other.destroy()).errors).toEqual([]);
    expect(stepNames(await engine.refresh())).toHaveLength(count);
    expect(stepNames(await engine.up(program))).toHaveLength(count);
    expect(stepNames(await engine.up(program))).toEqual([]);
  });

  it("comes to what the reconciler makes of the same wishes, and each finds nothing to do over the other", async () => {
    const { engine, service } = stage;
    await engine.up(program);
    const manifests = await makeStack({ url: service.url, key: service.adminKey });
    try {
      await manifests.write(everyKind);
      await manifests.adopt();
      const { changes } = await manifests.plan();
      // After an adoption nothing is known of what the API does not show.
      const left = changes.filter(
        ({ action, fields }) =>
          action !== "none" &&
          !(action === "update" && fields.every((one) => one.reason === "unverified")),
      );
      expect(left.map(({ address, action }) => `${action} ${address}`)).toEqual([]);
      expect(stepNames(await engine.up(program))).toEqual([]);
    } finally {
      await manifests.dispose();
    }
  });
});
