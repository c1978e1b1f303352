// Gives both modes of promotions one interface, so that each scenario runs in both: applied directly, or committed, pushed
// and applied by another process.
import { expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { PromotionResult, PromoteOptions } from "../../promotion/promote.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { createRepository } from "./git-repository.ts";
import {
  type Succeeded,
  expectOk,
  openPromotionFixture,
  type PromotionFixture,
} from "./fixture.ts";

/** A fixture that promotes in one mode. */
export interface ModeFixture {
  readonly fixture: PromotionFixture;
  /** The options of one call in this mode. */
  readonly modeOptions: Pick<PromoteOptions, "mode"> & { readonly env?: PromoteOptions["env"] };
  /** Writes the pipeline where this mode reads it. */
  writePipeline(stages: readonly JsonObject[]): Promise<void>;
  /** Promotes until nothing is left to do, applying commits in between. Returns the last result, with the failures of all. */
  promote(more?: Partial<PromoteOptions>): Promise<Succeeded<PromotionResult>>;
  /** Returns the promotions so far, the oldest first: `2 of staging to 1.7.20`. */
  promotions(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Maximum number of promotions, more than any scenario makes with one call. */
const maxPromotions = 12;

async function openDirectMode(): Promise<ModeFixture> {
  const scene = await openPromotionFixture();
  return {
    fixture: scene,
    modeOptions: { mode: "direct" },
    writePipeline: (stages) => scene.writePipeline(stages),
    promote: (more) => scene.promote(more),
    promotions: async () => {
      const { runs } = expectOk(await history(scene.options));
      const promoted = runs.map(({ message = "", counts }) =>
        promotionIn(message, counts.update ?? 0),
      );
      return promoted.flatMap((one) => one ?? []).toReversed();
    },
    close: () => scene.close(),
  };
}

async function openWriteMode(): Promise<ModeFixture> {
  const scene = await openPromotionFixture();
  const { env, git, gitInOrigin: origin, dispose } = createRepository(scene);
  const mode = { push: true, dryRun: false };
  return {
    fixture: scene,
    modeOptions: { mode, env },
    writePipeline: async (stages) => {
      await scene.writePipeline(stages);
      git("add", ".");
      git("commit", "--quiet", "-m", "pipeline");
    },
    promote: async (more) => {
      const failures: PromotionResult["failures"][number][] = [];
      for (let round = 0; round < maxPromotions; round++) {
        const done = await scene.promote({ mode, env, ...more });
        failures.push(...done.failures);
        if (done.diff === "") return { ...done, failures };
        // Only pushed commits are applied.
        expect(git("status", "--porcelain")).toBe("");
        expect(origin("rev-parse", "main")).toBe(git("rev-parse", "HEAD"));
        await scene.stack.apply();
      }
      throw new Error(`more than ${maxPromotions} promotions in a row`);
    },
    promotions: () => {
      const messages = origin("log", "--reverse", "--format=%B%x00", "main").split("\0\n");
      const objects = (one: string): number => one.match(/^- /gmu)?.length ?? 0;
      return Promise.resolve(messages.flatMap((one) => promotionIn(one, objects(one)) ?? []));
    },
    close: async () => {
      dispose();
      await scene.close();
    },
  };
}

/** Returns the promotion that a message describes, or undefined. */
function promotionIn(message: string, objects: number): string | undefined {
  const form = /^(?:Promote|Roll back) (\S+)(?: of \S+)? to (\S+)$/mu;
  const [, stage, version] = form.exec(message) ?? [];
  return stage && version && `${objects} of ${stage} to ${version}`;
}

/** Both modes, by their options of `svc promote`. */
export const promotionModes = [
  { mode: "--direct", open: openDirectMode },
  { mode: "--write --push", open: openWriteMode },
] as const;
