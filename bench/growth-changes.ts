// Measures how the work on one object grows with the number of its changed fields.
import { compare, directionOfChanges } from "../core/spec/diff.ts";
import { dataModel } from "../resources/data-model.ts";
import type { GrowthScene } from "./growth-rate.ts";

/** Compares data models of which every file differs on all three sides. */
export const changedFieldScene: GrowthScene = {
  title: "Changed fields of an object",
  size: 2000,
  open: (size) => {
    const sides = {
      desired: modelWith(size, "desired"),
      live: modelWith(size, "live"),
      lastApplied: modelWith(size, "applied"),
    };
    return Promise.resolve({
      steps: [{ name: "differences and their directions", run: () => Promise.resolve(judge()) }],
      close: () => Promise.resolve(),
    });

    function judge(): void {
      const changes = compare(dataModel, sides.desired, sides.live);
      const directionOf = directionOfChanges(dataModel, sides);
      const conflicts = changes.filter((change) => directionOf(change) === "conflict").length;
      if (conflicts !== size) throw new Error(`${conflicts} conflicts`);
    }
  },
};

function modelWith(
  size: number,
  text: string,
): { deployment: string; files: Record<string, string> } {
  const files = Array.from({ length: size }, (_, at) => [`model/cubes/cube-${at}.yml`, text]);
  return { deployment: "main", files: Object.fromEntries(files) as Record<string, string> };
}
