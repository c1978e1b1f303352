// What tests know of an engine, be it Pulumi's own or the one that stands in for it: a stack, what a run of it did, what it keeps.
import type * as pulumi from "@pulumi/pulumi";
import type { PropertyMap } from "../../../provider/pulumi/property-values.ts";

/** What became of one resource of the package. */
export interface Step {
  /** A replacement is a `replace` and, before or after it, the `delete` of what it replaces. */
  readonly op: "create" | "update" | "same" | "replace" | "delete" | "import" | "read";
  /** The name of its kind. */
  readonly type: string;
  readonly name: string;
  /** Kinds of change, as `UPDATE_REPLACE`, by property path. */
  readonly detailed?: Readonly<Record<string, string>>;
}

/** How a run ended. */
export interface RunResult {
  /** Everything but what stayed the same; of a refresh, what it found changed or gone. */
  readonly steps: readonly Step[];
  /** Of the program. */
  readonly outputs: PropertyMap;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** A resource as state tells of it. */
export interface StackResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly id: string;
  /** False for components. */
  readonly custom: boolean;
  readonly inputs: PropertyMap;
  readonly state: PropertyMap;
  readonly dependencies: readonly string[];
  /** URNs by property. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** What `pulumi import` is told of an object. */
export type ImportTarget = Pick<StackResource, "type" | "name" | "id">;

/** One stack of an engine, with the provider of this repository. */
export interface Engine {
  preview(program: pulumi.automation.PulumiFn): Promise<RunResult>;
  /** Applies the program; with `cancelAfter`, it is stopped after so many steps, as by Ctrl-C. */
  up(
    program: pulumi.automation.PulumiFn,
    options?: { readonly cancelAfter?: number },
  ): Promise<RunResult>;
  /** Reads everything again. */
  refresh(): Promise<RunResult>;
  /** Takes over what exists, as `pulumi import` does. */
  import(those: readonly ImportTarget[]): Promise<RunResult>;
  destroy(): Promise<RunResult>;
  /** What state tells of, without the stack itself and its providers. */
  resources(): Promise<readonly StackResource[]>;
  /** Everything that is written down, and everything that was said so far. */
  allText(): Promise<string>;
  close(): Promise<void>;
}

/** Opens an empty stack with this configuration; a sealed value is a secret of the stack. */
export type OpenEngine = (config: PropertyMap) => Promise<Engine>;
