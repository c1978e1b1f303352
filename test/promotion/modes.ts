// The two ways of acting behind one face, so that one scenario is carried out by both: applied directly, or committed, pushed and applied by another hand.
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

/** A scene in which one way of acting is taken. */
export interface ModeFixture {
  readonly fixture: PromotionFixture;
  /** What a verb takes to act in this way, once. */
  readonly modeOptions: Pick<PromoteOptions, "mode"> & { readonly env?: PromoteOptions["env"] };
  /** Puts the pipeline where this way reads it. */
  writePipeline(stages: readonly JsonObject[]): Promise<void>;
  /** Promotes until nothing more may be done, with all that it takes in between; answers the last run, with the failures of all. */
  promote(more?: Partial<PromoteOptions>): Promise<Succeeded<PromotionResult>>;
  /** What was moved so far, the oldest first: `2 of staging to 1.7.20`. */
  promotions(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** More commits than any scenario makes with one call. */
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
        // What is applied is what everybody sees.
        expect(git("status", "--porcelain")).toBe("");
        expect(origin("rev-parse", "main")).toBe(git("rev-parse", "HEAD"));
        await scene.stack.apply();
      }
      throw new Error("it commits again and again");
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

/** Undefined where a message is of no promotion. */
function promotionIn(message: string, objects: number): string | undefined {
  const [, stage, version] = /^Promote (\S+)(?: of \S+)? to (\S+)$/mu.exec(message) ?? [];
  return stage && version && `${objects} of ${stage} to ${version}`;
}

/** Both ways, by the option of `svc promote` that takes them. */
export const promotionModes = [
  { way: "--direct", open: openDirectMode },
  { way: "--write --push", open: openWriteMode },
] as const;
