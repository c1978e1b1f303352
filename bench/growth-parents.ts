// Measures how plans grow whose parents outside the stack were renamed on the server.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adopt, plan } from "../reconciler/verbs/verbs.ts";
import { folder } from "../resources/folder.ts";
import type { GrowthScene } from "./growth-rate.ts";
import { type GrowthFixture, openFixture } from "./growth-stacks.ts";
import { unwrapVerdict } from "./stack.ts";

/**
 * Plans folders of one deployment, and folders that are each in a separate deployment. All deployments were renamed
 * since.
 */
export const renamedParentScene: GrowthScene = {
  title: "Renamed parents",
  size: 100,
  open: async (size) => {
    const [one, many] = await Promise.all([openRenamed(size, 1), openRenamed(size, size)]);
    const step = (name: string, { options }: GrowthFixture) => ({
      name: `plan of folders, ${name}`,
      run: async () => {
        const { changes } = unwrapVerdict(await plan(options)).plan;
        const refused = changes.filter(({ action }) => action === "refuse");
        if (refused.length !== size) throw new Error(`${refused.length} refused changes`);
      },
    });
    return {
      steps: [step("all in one deployment", one), step("each in its own deployment", many)],
      close: async () => {
        await Promise.all([one.close(), many.close()]);
      },
    };
  },
};

/** Opens a stack that owns folders in deployments of no stack, which then get other names. */
async function openRenamed(folders: number, deployments: number): Promise<GrowthFixture> {
  const fixture = await openFixture("file");
  const { options, server } = fixture;
  const documents = Array.from({ length: folders }, (_, at) => {
    return { name: `folder-${at}`, deployment: `deployment-${at % deployments}` };
  });
  await insertFolders(fixture, documents);
  const text = documents.map(
    ({ name, deployment }) =>
      `apiVersion: svc/v1\nkind: ${folder.name}\nmetadata: { name: ${name} }\n` +
      `spec: { deployment: { external: ${deployment} }, name: ${name} }\n`,
  );
  await writeFile(join(fixture.folder, "folders.yaml"), text.join("---\n"));
  const { adopted } = unwrapVerdict(await adopt(options));
  if (adopted.length !== folders) throw new Error(`${adopted.length} adopted`);
  await server.db
    .updateTable("deployments")
    .set(({ eb }) => ({ name: eb("name", "||", "-renamed") }))
    .execute();
  return fixture;
}

/** Inserts folders and their deployments into the store: through the API that would take most of the time. */
async function insertFolders(
  { server: { db } }: GrowthFixture,
  documents: readonly { readonly name: string; readonly deployment: string }[],
): Promise<void> {
  const created_at = new Date().toISOString();
  const { id: _, ...first } = await db
    .selectFrom("deployments")
    .selectAll()
    .executeTakeFirstOrThrow();
  const names = new Set(documents.map(({ deployment }) => deployment));
  const deployments = [...names].map((name) => ({ ...first, name }));
  const added = await db
    .insertInto("deployments")
    .values(deployments)
    .returning(["id", "name"])
    .execute();
  const ids = new Map(added.map(({ id, name }) => [name, id]));
  const rows = documents.map(({ name, deployment }, position) => ({
    deployment_id: ids.get(deployment) ?? NaN,
    parent_id: null,
    name,
    name_key: name,
    position,
    created_at,
    updated_at: created_at,
  }));
  await db.insertInto("folders").values(rows).execute();
}
