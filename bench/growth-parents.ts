// Measures how plans grow whose parents outside the stack were renamed on the server.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeployment } from "../api/deployments.ts";
import { limits } from "../core/limits/limits.ts";
import { adopt, plan } from "../reconciler/verbs/verbs.ts";
import { folder } from "../resources/folder.ts";
import { inParallel } from "./bare-client.ts";
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
  const { client, options } = fixture;
  const send = (method: "POST" | "PUT", path: string, body: object): Promise<{ id: number }> =>
    client.send({ method, path, body }) as Promise<{ id: number }>;
  const names = Array.from({ length: deployments }, (_, at) => `deployment-${at}`);
  const ids = new Map<string, number>();
  await inParallel(names, limits.concurrency, async (name) => {
    ids.set(
      name,
      (await send("POST", createDeployment.path, { name, region: "aws-us-east-1" })).id,
    );
  });
  const documents = Array.from({ length: folders }, (_, at) => {
    return { name: `folder-${at}`, deployment: `deployment-${at % deployments}` };
  });
  await inParallel(documents, limits.concurrency, ({ name, deployment }) =>
    send("POST", `/api/v1/deployments/${ids.get(deployment)}/folders`, { name }),
  );
  const text = documents.map(
    ({ name, deployment }) =>
      `apiVersion: svc/v1\nkind: ${folder.name}\nmetadata: { name: ${name} }\n` +
      `spec: { deployment: { external: ${deployment} }, name: ${name} }\n`,
  );
  await writeFile(join(fixture.folder, "folders.yaml"), text.join("---\n"));
  const { adopted } = unwrapVerdict(await adopt(options));
  if (adopted.length !== folders) throw new Error(`${adopted.length} adopted`);
  await inParallel([...ids], limits.concurrency, ([name, id]) =>
    send("PUT", `/api/v1/deployments/${id}`, { name: `${name}-renamed` }),
  );
  return fixture;
}
