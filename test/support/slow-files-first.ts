// The order of test files. Where no durations are known, as in a fresh clone, vitest starts large files first; the short ones whose
// few cases take long would come last, and one process would run them while the others have nothing to do.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that run programs, many random cases, every operation or every resource type, or runs of many changes. */
const slowFiles =
  /^bench\/growth-rate\.|^test\/(?:(?:docs|engines|examples|faults|laws|promotion|replicas|slow)\/|conformance\/kinds\.|contract\/operation-responses\.|golden\/cli-apply-failures\.)/;

/**
 * Files that keep a process busy as long as the files on PostgreSQL, which wait for its server. They start together
 * with those. A process runs the files of one project. After shorter files it would end, and another process would have
 * to load everything again.
 */
const besideOthers = /^test\/(?:conformance\/kinds|docs\/pages)\./;

/** Starts the slow files of each project before the others. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not the method of arrays
    const sorted = await super.sort(files);
    const byProject = [...Map.groupBy(sorted, ({ project }) => project).values()];
    const beside = byProject
      .slice(1)
      .flat()
      .filter((file) => this.#matches(file, besideOthers));
    const others = byProject.flatMap((group) => [
      ...group.filter((file) => this.#matches(file, slowFiles)),
      ...group.filter((file) => !this.#matches(file, slowFiles)),
    ]);
    return [...new Set([...beside, ...others])];
  }

  #matches({ moduleId }: TestSpecification, files: RegExp): boolean {
    return files.test(relative(this.ctx.config.root, moduleId));
  }
}
