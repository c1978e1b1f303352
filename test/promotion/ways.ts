// The two ways of acting behind one face, so that one scenario is carried out by both: applied directly, or committed, pushed and applied by another hand.
import { expect } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Promoted, PromoteOptions } from "../../reconciler/promote/promote.ts";
import { history } from "../../reconciler/runs/history.ts";
import { repositoryOf } from "./repository.ts";
import { type Good, good, openScene, type Scene } from "./scene.ts";

/** A scene in which one way of acting is taken. */
export interface Acting {
  readonly scene: Scene;
  /** What a verb takes to act in this way, once. */
  readonly acts: Pick<PromoteOptions, "way"> & { readonly env?: PromoteOptions["env"] };
  /** Puts the pipeline where this way reads it. */
  pipeline(stages: readonly JsonObject[]): Promise<void>;
  /** Promotes until nothing more may be done, with all that it takes in between; answers the last run, with the failures of all. */
  promote(more?: Partial<PromoteOptions>): Promise<Good<Promoted>>;
  /** What was moved so far, the oldest first: `2 of staging to 1.7.20`. */
  moves(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** More commits than any scenario makes with one call. */
const mostRounds = 12;

async function openDirect(): Promise<Acting> {
  const scene = await openScene();
  return {
    scene,
    acts: { way: "direct" },
    pipeline: (stages) => scene.pipeline(stages),
    promote: (more) => scene.promote(more),
    moves: async () => {
      const { runs } = good(await history(scene.options));
      const promoted = runs.map(({ message = "", counts }) => moveIn(message, counts.update ?? 0));
      return promoted.flatMap((one) => one ?? []).toReversed();
    },
    close: () => scene.close(),
  };
}

async function openWritten(): Promise<Acting> {
  const scene = await openScene();
  const { env, git, origin, dispose } = repositoryOf(scene);
  const way = { push: true, dry: false };
  return {
    scene,
    acts: { way, env },
    pipeline: async (stages) => {
      await scene.pipeline(stages);
      git("add", ".");
      git("commit", "--quiet", "-m", "pipeline");
    },
    promote: async (more) => {
      const failures: Promoted["failures"][number][] = [];
      for (let round = 0; round < mostRounds; round++) {
        const done = await scene.promote({ way, env, ...more });
        failures.push(...done.failures);
        if (done.diff === "") return { ...done, failures };
        // What is applied is what everybody sees.
        expect(git("status", "--porcelain")).toBe("");
        expect(origin("rev-parse", "main")).toBe(git("rev-parse", "HEAD"));
        await scene.stack.apply();
      }
      throw new Error("it commits again and again");
    },
    moves: () => {
      const messages = origin("log", "--reverse", "--format=%B%x00", "main").split("\0\n");
      const objects = (one: string): number => one.match(/^- /gmu)?.length ?? 0;
      return Promise.resolve(messages.flatMap((one) => moveIn(one, objects(one)) ?? []));
    },
    close: async () => {
      dispose();
      await scene.close();
    },
  };
}

/** Undefined where a message is of no promotion. */
function moveIn(message: string, objects: number): string | undefined {
  const [, stage, version] = /^Promote (\S+)(?: of \S+)? to (\S+)$/mu.exec(message) ?? [];
  return stage && version && `${objects} of ${stage} to ${version}`;
}

/** Both ways, by the option of `svc promote` that takes them. */
export const ways = [
  { way: "--direct", open: openDirect },
  { way: "--write --push", open: openWritten },
] as const;
