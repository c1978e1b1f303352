// The order of test files. Where no durations are known, as in a fresh clone, vitest starts large files first; the short ones whose
// few cases take long would come last, and one process would run them while the others have nothing to do.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that run programs, many random cases, every operation or every resource type, or runs of many changes. */
const slowFiles =
  /^test\/(?:(?:docs|engines|equivalence|examples|faults|laws|promotion|replicas|soak)\/|conformance\/(?:every-kind|kinds)\.|contract\/(?:fuzz|operation-responses)\.|golden\/(?:cli-apply-failures|deploy|release)\.|store\/large-runs\.)/;

/** Starts the slow files of each project before the others. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not the method of arrays
    const sorted = await super.sort(files);
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((group) => [
      ...group.filter((file) => this.#isSlow(file)),
      ...group.filter((file) => !this.#isSlow(file)),
    ]);
  }

  #isSlow({ moduleId }: TestSpecification): boolean {
    return slowFiles.test(relative(this.ctx.config.root, moduleId));
  }
}
