// Measures how `svc export --update` grows, which writes live values into the documents of one file.
import { updateStack } from "../reconciler/export/update.ts";
import { userGroup } from "../resources/user-group.ts";
import type { GrowthScene } from "./growth-rate.ts";
import { openFixture, seed } from "./growth-stacks.ts";
import { unwrapVerdict } from "./stack.ts";

const written = "As declared.";
const drifted = "Drifted.";

/** Updates a file in which every document differs from its object. */
export const exportScene: GrowthScene = {
  title: "Export into manifests",
  size: 200,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seed(fixture, size, "group");
    await fixture.write(size, "group", written);
    await fixture.server.db
      .updateTable("user_groups")
      .set({ description: drifted })
      .where("name", "like", "group-%")
      .execute();
    const options = { ...fixture.options, split: "kind", only: [userGroup.name] } as const;
    const update = async (): Promise<void> => {
      const { changed, files } = unwrapVerdict(await updateStack(options));
      const [file] = files;
      const left = Object.keys(changed).length !== size || file?.text.includes(written) !== false;
      if (left) throw new Error("not every document was updated");
    };
    return { steps: [{ name: "updated documents", run: update }], close: () => fixture.close() };
  },
};
