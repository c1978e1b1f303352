// What the engine's requests hold, as far as it is read here; members that were not sent are undefined.
import type { SentIdentity } from "./identity.ts";
import type { Dynamic } from "./wire/cty.ts";

/** A request about a resource, a data source or an ephemeral resource of some type. */
export interface WithTypeName {
  readonly typeName: string;
}

/** Holds a configuration. */
export interface WithConfig {
  readonly config?: Dynamic;
}

/** Checks a configuration. */
export interface ValidateRequest extends WithTypeName, WithConfig {
  readonly clientCapabilities?: { readonly writeOnlyAttributesAllowed?: boolean };
}

/** Configures the provider. */
export interface ConfigureRequest extends WithConfig {
  readonly terraformVersion?: string;
}

/** Brings stored state up to date. */
export interface UpgradeRequest extends WithTypeName {
  readonly version?: number;
  readonly rawState?: { readonly json?: Uint8Array };
}

/** Refreshes a resource. */
export interface ReadRequest extends WithTypeName {
  readonly currentState?: Dynamic;
  readonly currentIdentity?: SentIdentity;
  readonly private?: Uint8Array;
}

/** Plans a change of a resource. */
export interface PlanRequest extends WithTypeName, WithConfig {
  readonly priorState?: Dynamic;
  readonly proposedNewState?: Dynamic;
  readonly priorIdentity?: SentIdentity;
  readonly priorPrivate?: Uint8Array;
}

/** Carries out a planned change. */
export interface ApplyRequest extends WithTypeName, WithConfig {
  readonly priorState?: Dynamic;
  readonly plannedState?: Dynamic;
  readonly plannedIdentity?: SentIdentity;
  readonly plannedPrivate?: Uint8Array;
}

/** Brings a stored identity up to date. */
export interface UpgradeIdentityRequest extends WithTypeName {
  readonly version?: number;
  readonly rawIdentity?: { readonly json?: Uint8Array };
}

/** Imports an object by its import id, or by its identity. */
export interface ImportRequest extends WithTypeName {
  readonly id?: string;
  readonly identity?: SentIdentity;
}

/** Ends the life of an ephemeral resource. */
export interface CloseRequest extends WithTypeName {
  readonly private?: Uint8Array;
}

/** Moves state from another type or provider. */
export interface MoveRequest {
  readonly sourceProviderAddress?: string;
  readonly sourceTypeName?: string;
  readonly sourceSchemaVersion?: number;
  readonly sourceState?: { readonly json?: Uint8Array };
  readonly sourcePrivate?: Uint8Array;
  readonly targetTypeName: string;
}

/** Calls a function. */
export interface CallRequest {
  readonly name: string;
  readonly arguments?: readonly Dynamic[];
}
