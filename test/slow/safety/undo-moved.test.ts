// Tests undo of a run after which documents exchanged or shifted their names: it changes the objects of the run, also those
// without an ID.
import { describe, expect, it } from "vitest";
import { history } from "../../../reconciler/verbs/history.ts";
import { undo, type UndoOptions } from "../../../reconciler/undo.ts";
import { liveState } from "../../support/live-state.ts";
import { type Doc, changeSummaries } from "../../support/test-stack.ts";
import { setUpFixture } from "../../safety/fixture.ts";

const sites = ["site", "alpha", "beta"].map((name): Doc => {
  return { kind: "Deployment", name, spec: { name, region: "aws-us-east-1" } };
});
/** An integration has no ID. */
const integration = (document: string, deployment: string, projectRoot: string): Doc => ({
  kind: "TransformIntegration",
  name: document,
  spec: { deployment, repoUrl: "https://git.example.com/lake.git", branch: "main", projectRoot },
});
const group = (document: string, name: string, description: string): Doc => ({
  kind: "UserGroup",
  name: document,
  spec: { name, description },
});
/** Returns a document that had another name. */
const renamedFrom = (from: string, document: Doc): Doc => ({
  ...document,
  lifecycle: { movedFrom: `${document.kind}/${from}` },
});

describe("an undo after which documents exchanged their names", () => {
  const fixture = setUpFixture({ name: "shop" });

  /** Applies and returns the ID of the run. */
  async function applied(...documents: readonly Doc[]): Promise<string> {
    await fixture.stack.write([...sites, ...documents]);
    const { outcomes } = await fixture.stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    const reported = await history(fixture.stack.options);
    return (reported.ok && reported.runs[0]?.id) || "";
  }

  async function undone(run: string, more: Partial<UndoOptions> = {}) {
    const done = await undo({ ...fixture.stack.options, run, approve: async () => true, ...more });
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    return {
      changes: changeSummaries(done.plan.changes),
      notes: done.plan.diagnostics
        .filter(({ code }) => code === "cannot-undo")
        .map(({ address, summary }) => `${address}: ${summary}`),
    };
  }

  /** Returns the values of groups and integrations. */
  async function values(): Promise<Readonly<Record<string, unknown>>> {
    const live = await liveState(fixture.service);
    return Object.fromEntries(
      Object.entries(live).flatMap(([address, spec]) => {
        const [, name] = /^(?:UserGroup|TransformIntegration)\/(.*)$/u.exec(address) ?? [];
        const fields = JSON.parse(JSON.stringify(spec)) as Record<string, unknown>;
        const { description, projectRoot } = fields;
        return name === undefined ? [] : [[name, description ?? projectRoot]];
      }),
    );
  }

  it("restores the values of the object that the run changed", async () => {
    await applied(
      integration("x", "alpha", "1"),
      integration("y", "beta", "1"),
      group("x", "north", "1"),
      group("y", "south", "1"),
    );
    const run = await applied(
      integration("x", "alpha", "2"),
      integration("y", "beta", "1"),
      group("x", "north", "2"),
      group("y", "south", "1"),
    );
    await applied(
      renamedFrom("x", integration("y", "alpha", "2")),
      renamedFrom("y", integration("x", "beta", "1")),
      renamedFrom("x", group("y", "north", "2")),
      renamedFrom("y", group("x", "south", "1")),
    );
    const { changes, notes } = await undone(run);
    expect(changes.toSorted()).toEqual([
      "update TransformIntegration/y /projectRoot",
      "update UserGroup/y /description",
    ]);
    expect(notes).toEqual([]);
    expect(await values()).toMatchObject({ alpha: "1", beta: "1", north: "1", south: "1" });
  });

  it("treats a later change of the object as a conflict, whatever its document is called", async () => {
    await applied(integration("x", "alpha", "1"), integration("y", "beta", "1"));
    const run = await applied(integration("x", "alpha", "2"), integration("y", "beta", "1"));
    await applied(
      renamedFrom("x", integration("y", "alpha", "3")),
      renamedFrom("y", integration("x", "beta", "1")),
    );
    await expect(undone(run)).rejects.toMatchObject({ code: "conflict" });
    expect(await values()).toMatchObject({ alpha: "3", beta: "1" });
  });

  it("leaves an object alone that took the address of one that is gone", async () => {
    await applied(integration("x", "alpha", "1"), integration("y", "beta", "2"));
    const run = await applied(integration("x", "alpha", "2"), integration("y", "beta", "2"));
    await applied(integration("y", "beta", "2"));
    await applied(renamedFrom("y", integration("x", "beta", "2")));
    expect(await undone(run)).toEqual({
      changes: [],
      notes: ["TransformIntegration/x: the stack does not own the object of the run any more"],
    });
    expect(await values()).toMatchObject({ beta: "2" });
  });

  it("knows the moves of a run whose changes failed", async () => {
    await applied(integration("x", "alpha", "1"), integration("y", "beta", "2"));
    const run = await applied(integration("x", "alpha", "2"), integration("y", "beta", "2"));
    const swapped = [
      renamedFrom("x", integration("y", "alpha", "2")),
      renamedFrom("y", integration("x", "beta", "3")),
    ];
    await fixture.stack.write([...sites, ...swapped]);
    const refuse = async ({ path }: { readonly path: string }) =>
      path.includes("/transform") ? ("refuse" as const) : ("pass" as const);
    fixture.proxy.arm(1, refuse, Number.POSITIVE_INFINITY);
    const { outcomes } = await fixture.stack.apply();
    expect(outcomes.filter(({ result }) => result === "failed")).toHaveLength(1);
    fixture.proxy.arm();
    expect((await undone(run)).changes).toEqual(["update TransformIntegration/y /projectRoot"]);
    expect(await values()).toMatchObject({ alpha: "1", beta: "2" });
  });

  it("leaves the other fields alone, also those that a write without them would clear", async () => {
    const secret = { token: "a-token-of-the-git-host", webhookSecret: "a-secret-for-webhooks" };
    const document = (projectRoot: string): Doc => {
      const { spec, ...rest } = integration("x", "alpha", projectRoot);
      return { ...rest, spec: { ...spec, manifestPath: "build/manifest.json", ...secret } };
    };
    await applied(document("1"));
    const run = await applied(document("2"));
    expect((await undone(run)).changes).toEqual(["update TransformIntegration/x /projectRoot"]);
    await fixture.stack.write([...sites, document("1")]);
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([]);
  });
});
