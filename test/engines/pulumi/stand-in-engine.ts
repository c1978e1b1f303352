// Stands in for Pulumi's engine where it is not installed: takes a real program's registrations and drives the real provider
// over its socket under the rules of the real engine, but for options that the engine alone carries out (ignoreChanges and what
// controls deletion). State is in memory; secrets are never written.
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import settings from "@pulumi/pulumi/runtime/settings.js";
import internals from "@pulumi/pulumi/runtime/state.js";
import {
  type PropertyMap,
  type PropertyValue,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";
import type { Engine, ImportTarget, RunResult } from "./engine.ts";
import { StackOperation } from "./resource-monitor.ts";
import { copySnapshot, type Resource, type Snapshot } from "./snapshot.ts";
import type { Interruption } from "./step-executor.ts";
import { isProvider, isStack, urnFor } from "./urns.ts";

/** Internal to the SDK: its Automation API runs programs in this context. */
const asyncStorage = internals as {
  withLocalStorage(work: () => Promise<void>): Promise<void>;
};

/** A stack of the stand-in engine. */
export class StandInEngine implements Engine {
  readonly #config: PropertyMap;
  readonly #snapshot: Snapshot = {
    resources: new Map(),
    pendingDeletes: new Set(),
    pendingCreates: new Set(),
  };
  readonly #log: string[] = [];

  /** Configuration of the provider; a secret value is a secret of the stack. */
  constructor(config: PropertyMap) {
    this.#config = config;
  }

  preview(program: pulumi.automation.PulumiFn): Promise<RunResult> {
    return this.#run(program, { preview: true });
  }

  up(program: pulumi.automation.PulumiFn, broken: Interruption = {}): Promise<RunResult> {
    return this.#run(program, { preview: false, broken });
  }

  refresh(): Promise<RunResult> {
    return this.#session(false, async (run) => {
      this.#snapshot.pendingCreates.clear();
      const all = [...this.#snapshot.resources.values()].filter(
        ({ custom, type }) => custom && !isProvider(type),
      );
      await Promise.all(all.map((one) => run.stepper.refresh(one)));
    });
  }

  import(those: readonly ImportTarget[]): Promise<RunResult> {
    return this.#session(false, async (run) => {
      await Promise.all(
        those.map(({ type, name, id }) =>
          run.stepper.importResource({ urn: urnFor({ type, name }), type, name }, id),
        ),
      );
    });
  }

  destroy(): Promise<RunResult> {
    return this.#session(false, async (run) => {
      await run.stepper.deletePending();
      await run.stepper.deleteAll([...this.#snapshot.resources.keys()]);
    });
  }

  async resources(): Promise<readonly Resource[]> {
    return [...this.#snapshot.resources.values()].filter(
      ({ type }) => !isProvider(type) && !isStack(type),
    );
  }

  /** Masks secrets as the real engine does. */
  async allText(): Promise<string> {
    const { resources, pendingDeletes, pendingCreates: pending } = this.#snapshot;
    const state = JSON.stringify([...resources.values(), ...pendingDeletes, ...pending]);
    return [state, ...this.#log].join("\n");
  }

  async close(): Promise<void> {
    this.#snapshot.resources.clear();
  }

  async #run(
    program: pulumi.automation.PulumiFn,
    { preview, broken = {} }: { readonly preview: boolean; readonly broken?: Interruption },
  ): Promise<RunResult> {
    // The SDK's state is separate for each run, as in Pulumi's Automation API.
    const inOwnStore = (work: () => Promise<void>): Promise<void> =>
      withoutStackTraces(() => asyncStorage.withLocalStorage(work));
    return this.#session(preview, async (run) =>
      inOwnStore(async () => {
        run.stepper.interruption = broken;
        run.warnPendingOperations();
        if (!preview) await run.stepper.deletePending();
        const { address } = run;
        settings.resetOptions("test", "dev", 16, address, address, preview, "");
        const plain = Object.entries(this.#config).map(([name, value]): [string, string] => [
          `svc:${name}`,
          stateText(value instanceof SecretValue ? value.reveal() : value),
        ]);
        pulumi.runtime.setAllConfig(Object.fromEntries(plain));
        const ended = pulumi.runtime
          .runInPulumiStack(program)
          .then(() => settings.disconnect(true))
          .catch((error: unknown) => run.fail(error));
        // Gives a program whose engine stops a moment to notice.
        await Promise.race([ended, run.failed.then(() => sleep(300))]);
        await run.idle();
      }),
    );
  }

  async #session(
    preview: boolean,
    work: (run: StackOperation) => Promise<void>,
  ): Promise<RunResult> {
    // The result of a preview is discarded.
    const snapshot = preview ? copySnapshot(this.#snapshot) : this.#snapshot;
    const run = new StackOperation(snapshot, this.#config, preview);
    await run.start();
    try {
      await work(run).catch((error: unknown) => run.fail(error));
      const { outputs, errors, warnings } = run;
      const steps = run.stepper.steps.filter(({ op }) => op !== "same");
      const ran = { steps, outputs, errors, warnings };
      this.#log.push(JSON.stringify(ran));
      return ran;
    } finally {
      await run.stop();
    }
  }
}

/** The SDK keeps the stack trace of every promise, which takes a quarter of the processor time of a run. */
async function withoutStackTraces(work: () => Promise<void>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function stateText(value: PropertyValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
