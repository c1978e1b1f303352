// Types of the protocol requests, limited to the members that the provider reads. Absent members are undefined.
import type { SentIdentity } from "./identity.ts";
import type { Dynamic } from "./wire/cty.ts";

/** A request for a resource, a data source or an ephemeral resource. */
export interface WithTypeName {
  readonly typeName: string;
}

/** A request with a configuration. */
export interface WithConfig {
  readonly config?: Dynamic;
}

/** Validates a configuration. */
export interface ValidateRequest extends WithTypeName, WithConfig {
  readonly clientCapabilities?: { readonly writeOnlyAttributesAllowed?: boolean };
}

/** Configures the provider. */
export interface ConfigureRequest extends WithConfig {
  readonly terraformVersion?: string;
}

/** Upgrades stored state. */
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

/** Applies a planned change. */
export interface ApplyRequest extends WithTypeName, WithConfig {
  readonly priorState?: Dynamic;
  readonly plannedState?: Dynamic;
  readonly plannedIdentity?: SentIdentity;
  readonly plannedPrivate?: Uint8Array;
}

/** Upgrades a stored identity. */
export interface UpgradeIdentityRequest extends WithTypeName {
  readonly version?: number;
  readonly rawIdentity?: { readonly json?: Uint8Array };
}

/** Imports an object by its import id or its identity. */
export interface ImportRequest extends WithTypeName {
  readonly id?: string;
  readonly identity?: SentIdentity;
}

/** Lists the objects of a collection. */
export interface ListRequest extends WithTypeName, WithConfig {
  readonly includeResourceObject?: boolean;
  /** The number of objects after which the engine stops. */
  readonly limit?: number;
}

/** Closes an ephemeral resource. */
export interface CloseRequest extends WithTypeName {
  readonly private?: Uint8Array;
}

/** Moves state from another resource type or provider. */
export interface MoveRequest {
  readonly sourceProviderAddress?: string;
  readonly sourceTypeName?: string;
  readonly sourceSchemaVersion?: number;
  readonly sourceState?: { readonly json?: Uint8Array };
  readonly sourcePrivate?: Uint8Array;
  readonly targetTypeName: string;
}

/** Calls a provider-defined function. */
export interface CallRequest {
  readonly name: string;
  readonly arguments?: readonly Dynamic[];
}
