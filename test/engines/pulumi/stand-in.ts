// Stands in for Pulumi's engine where that cannot be had: takes a real program's registrations and drives the real provider
// over its socket by the rules of the real engine. It keeps state in memory, and writes none that is sealed.
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import settings from "@pulumi/pulumi/runtime/settings.js";
import internals from "@pulumi/pulumi/runtime/state.js";
import { type PropertyMap, type PropertyValue, Sealed } from "../../../provider/pulumi/values.ts";
import type { Engine, Imported, Ran } from "./engines.ts";
import { Run } from "./monitor.ts";
import { copyOf, type Resource, type Snapshot } from "./records.ts";
import type { Break } from "./stepper.ts";
import { isProvider, isStack, urnFor } from "./urns.ts";

/** Internal to the SDK, and what its automation API runs programs in. */
const storage = internals as {
  withLocalStorage(work: () => Promise<void>): Promise<void>;
};

/** A stack of the stand-in engine. */
export class StandIn implements Engine {
  readonly #config: PropertyMap;
  readonly #snapshot: Snapshot = {
    resources: new Map(),
    condemned: new Set(),
    pending: new Set(),
  };
  readonly #said: string[] = [];

  /** The provider's configuration; a sealed value is a secret of the stack. */
  constructor(config: PropertyMap) {
    this.#config = config;
  }

  preview(program: pulumi.automation.PulumiFn): Promise<Ran> {
    return this.#run(program, { preview: true });
  }

  up(program: pulumi.automation.PulumiFn, broken: Break = {}): Promise<Ran> {
    return this.#run(program, { preview: false, broken });
  }

  refresh(): Promise<Ran> {
    return this.#session(false, async (run) => {
      this.#snapshot.pending.clear();
      const all = [...this.#snapshot.resources.values()].filter(
        ({ custom, type }) => custom && !isProvider(type),
      );
      await Promise.all(all.map((one) => run.stepper.refresh(one)));
    });
  }

  import(those: readonly Imported[]): Promise<Ran> {
    return this.#session(false, async (run) => {
      await Promise.all(
        those.map(({ type, name, id }) =>
          run.stepper.importPlanned({ urn: urnFor({ type, name }), type, name }, id),
        ),
      );
    });
  }

  destroy(): Promise<Ran> {
    return this.#session(false, async (run) => {
      await run.stepper.deleteCondemned();
      await run.stepper.deleteAll([...this.#snapshot.resources.keys()]);
    });
  }

  async kept(): Promise<readonly Resource[]> {
    return [...this.#snapshot.resources.values()].filter(
      ({ type }) => !isProvider(type) && !isStack(type),
    );
  }

  /** With secrets as the real engine would hide them. */
  async everything(): Promise<string> {
    const { resources, condemned, pending } = this.#snapshot;
    const state = JSON.stringify([...resources.values(), ...condemned, ...pending]);
    return [state, ...this.#said].join("\n");
  }

  async close(): Promise<void> {
    this.#snapshot.resources.clear();
  }

  async #run(
    program: pulumi.automation.PulumiFn,
    { preview, broken = {} }: { readonly preview: boolean; readonly broken?: Break },
  ): Promise<Ran> {
    // What the SDK keeps of a program is its own for each run, as in Pulumi's automation API.
    const inOwnStore = (work: () => Promise<void>): Promise<void> => storage.withLocalStorage(work);
    return this.#session(preview, async (run) =>
      inOwnStore(async () => {
        run.stepper.broken = broken;
        run.tellPending();
        if (!preview) await run.stepper.deleteCondemned();
        const { address } = run;
        settings.resetOptions("test", "dev", 16, address, address, preview, "");
        const plain = Object.entries(this.#config).map(([name, value]): [string, string] => [
          `svc:${name}`,
          textOf(value instanceof Sealed ? value.reveal() : value),
        ]);
        pulumi.runtime.setAllConfig(Object.fromEntries(plain));
        const ended = pulumi.runtime
          .runInPulumiStack(program)
          .then(() => settings.disconnect(true))
          .catch((error: unknown) => run.fail(error));
        // A program whose engine stops is given a moment to notice.
        await Promise.race([ended, run.failed.then(() => sleep(300))]);
        await run.idle();
      }),
    );
  }

  async #session(preview: boolean, work: (run: Run) => Promise<void>): Promise<Ran> {
    // What a preview comes to is forgotten.
    const snapshot = preview ? copyOf(this.#snapshot) : this.#snapshot;
    const run = new Run(snapshot, this.#config, preview);
    await run.start();
    try {
      await work(run).catch((error: unknown) => run.fail(error));
      const { outputs, errors, warnings } = run;
      const steps = run.stepper.steps.filter(({ op }) => op !== "same");
      const ran = { steps, outputs, errors, warnings };
      this.#said.push(JSON.stringify(ran));
      return ran;
    } finally {
      await run.stop();
    }
  }
}

function textOf(value: PropertyValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
