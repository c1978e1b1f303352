// Interface of an engine in tests, implemented by Pulumi's own engine and by the stand-in: a stack, its runs and its state.
import type * as pulumi from "@pulumi/pulumi";
import type { PropertyMap } from "../../../provider/pulumi/property-values.ts";

/** The effect of a run on one resource of the package. */
export interface Step {
  /** A replacement is a `replace`, and the `delete` of the old object before or after it. */
  readonly op: "create" | "update" | "same" | "replace" | "delete" | "import" | "read";
  /** Name of the resource type. */
  readonly type: string;
  readonly name: string;
  /** Kind of change, such as `UPDATE_REPLACE`, by property path. */
  readonly detailed?: Readonly<Record<string, string>>;
}

/** The result of a run. */
export interface RunResult {
  /** All steps except unchanged resources; for a refresh, the resources that it found changed or deleted. */
  readonly steps: readonly Step[];
  /** Outputs of the program. */
  readonly outputs: PropertyMap;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** A resource in state. */
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

/** An object for `pulumi import`. */
export type ImportTarget = Pick<StackResource, "type" | "name" | "id">;

/** One stack of an engine with the provider of this repository. */
export interface Engine {
  preview(program: pulumi.automation.PulumiFn): Promise<RunResult>;
  /** Applies the program. `cancelAfter` cancels it after this many steps, as Ctrl-C does. */
  up(
    program: pulumi.automation.PulumiFn,
    options?: { readonly cancelAfter?: number },
  ): Promise<RunResult>;
  /** Reads every resource again. */
  refresh(): Promise<RunResult>;
  /** Imports existing objects, as `pulumi import` does. */
  import(those: readonly ImportTarget[]): Promise<RunResult>;
  destroy(): Promise<RunResult>;
  /** Returns the resources in state, without the stack itself and its providers. */
  resources(): Promise<readonly StackResource[]>;
  /** Returns everything that the engine has stored and printed. */
  allText(): Promise<string>;
  close(): Promise<void>;
}

/** Opens an empty stack with this configuration; a secret value becomes a secret of the stack. */
export type OpenEngine = (config: PropertyMap) => Promise<Engine>;
