// Measures how the time to compile a data model grows with the number of its cubes.
import { compileModel } from "../service/model/compile.ts";
import { generatedModel } from "./generated-model.ts";
import type { GrowthScene } from "./growth-rate.ts";

/** Compiles a valid model, and one in which every cube has an error. */
export const compileScene: GrowthScene = {
  title: "Data models",
  size: 200,
  open: (size) => {
    const valid = generatedModel(size);
    const invalid = valid.map(({ path, content }) => ({
      path,
      content: content.replace("{total} /", "{missing} /"),
    }));
    return Promise.resolve({
      steps: [
        { name: "valid model", run: () => compileTo(valid, 0) },
        { name: "model with errors", run: () => compileTo(invalid, size) },
      ],
      close: () => Promise.resolve(),
    });
  },
};

function compileTo(files: ReturnType<typeof generatedModel>, expected: number): Promise<void> {
  const { errorCount } = compileModel(files);
  if (errorCount !== expected) throw new Error(`${errorCount} errors`);
  return Promise.resolve();
}
