// Tests undo of a run that deleted a folder whose content no document moved, so that the server moved it to the root.
import { expect, it } from "vitest";
import { history } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/verbs/undo.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture({ name: "shop" });

const within = { deployment: { external: "main" } };
const folder: Doc = { kind: "Folder", name: "plans", spec: { ...within, name: "Plans" } };
const workbook = (folderName?: string): Doc => ({
  kind: "Workbook",
  name: "sales",
  spec: { ...within, slug: "sales", ...(folderName !== undefined && { folder: folderName }) },
});

it("says that the content is not moved back", async () => {
  await fixture.stack.write([folder, workbook("plans")]);
  await fixture.stack.apply();
  await fixture.stack.write([workbook()]);
  await fixture.stack.apply();
  const reported = await history(fixture.stack.options);
  const run = (reported.ok && reported.runs[0]?.id) || "";
  const done = await undo({ ...fixture.stack.options, run, approve: async () => true });
  const notes = done.ok ? done.plan.diagnostics : [];
  expect(notes).toMatchObject([
    {
      code: "cannot-undo",
      address: "Workbook/sales",
      summary: "the undo does not set folder to Folder Plans again, which the run deleted",
    },
  ]);
});
