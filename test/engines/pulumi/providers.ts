// Providers of one run of the stand-in engine, started and configured on first use.
import {
  hasUnknown,
  type PropertyMap,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";
import { type Driver, type RunningProvider, startProvider } from "./driver.ts";

/** Running providers by URN. */
export class Providers {
  readonly #running = new Map<string, Promise<RunningProvider>>();
  readonly #inputsOf: (reference: string) => PropertyMap;
  readonly #address: () => string;

  /** `inputsOf` returns a provider's configuration; `address` is the address of its log. */
  constructor(inputsOf: (reference: string) => PropertyMap, address: () => string) {
    this.#inputsOf = inputsOf;
    this.#address = address;
  }

  async driverFor(reference: string): Promise<Driver> {
    const known = this.#running.get(reference) ?? this.#configured(this.#inputsOf(reference));
    this.#running.set(reference, known);
    return (await known).driver;
  }

  async #configured(inputs: PropertyMap): Promise<RunningProvider> {
    const running = await startProvider(this.#address());
    // A checked configuration is never secret.
    const plain = Object.entries(inputs).map(([name, value]) => [
      name,
      value instanceof SecretValue ? value.reveal() : value,
    ]);
    const { failures } = await running.driver.checkConfig(Object.fromEntries(plain) as PropertyMap);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    if (!hasUnknown(inputs)) await running.driver.configure(inputs);
    return running;
  }

  async cancel(): Promise<void> {
    for (const one of this.#running.values()) await (await one).driver.cancel();
  }

  async close(): Promise<void> {
    const running = await Promise.allSettled(this.#running.values());
    for (const one of running) if (one.status === "fulfilled") await one.value.close();
  }
}
