// The types that all modules of the reconciler share: stack, desired state, live state, inventory, plan, outcome.
import type { WaitEvent } from "../../client/types.ts";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RecordedLifecycle, LifecycleRules } from "../../core/kind/lifecycle-rules.ts";
import type { Kind, ScopeKey, ObservedObject } from "../../core/kind/kind.ts";
import { member } from "../../core/schema/schema.ts";
import type { Action } from "./actions.ts";
import type { Change, ObjectMetadata, planFormat, SecretSink } from "./change.ts";
import type { Freeze, Window } from "./windows/window-schema.ts";

export type { Action } from "./actions.ts";
export type {
  BlockReason,
  CascadedMetadata,
  Change,
  ObjectMetadata,
  PlannedField,
  Precondition,
  SecretSink,
} from "./change.ts";

/** The actions that the reconciler may take without confirmation. */
export interface Policy {
  /** Whether to delete owned objects that are no longer declared. Default: false. */
  readonly prune: boolean;
  /** The delete limit: deletes and replaces that one apply may execute without `--allow-deletes`. */
  readonly maxDeletes: number;
  /** The delete limit in percent of the owned objects. The smaller limit applies. Undefined for none. */
  readonly maxDeletePercent?: number | undefined;
  /** The delete limits that the operator's grants lowered. Undefined for none. */
  readonly limitedByGrants?: readonly ("maxDeletes" | "maxDeletePercent")[] | undefined;
  /** The maximum number of concurrent calls. */
  readonly concurrency: number;
  /** The maximum number of calls per second. Undefined for no limit. */
  readonly requestsPerSecond: number | undefined;
  /** Maintenance windows. Default: none. */
  readonly windows?: readonly Window[];
  /** Freezes. Default: none. */
  readonly freezes?: readonly Freeze[];
}

/** The storage of an inventory: a file beside the Stack, the service, or a PostgreSQL database. */
export type InventoryBackend = "file" | "service" | "postgres";

/** Manifests that are applied together and share an inventory. */
export interface Stack {
  readonly name: string;
  /** Origin of the service that the stack is for. Must match the connected server. */
  readonly target: string | undefined;
  /** Absolute path of the folder that holds the Stack document. */
  readonly folder: string;
  /** The folder relative to the current one, for commands in messages. Empty if they are the same. */
  readonly displayPath?: string | undefined;
  /** The folder in which a controller keeps its inventory file and generated secrets, if it has the stack from Git. */
  readonly stateFolder?: string;
  /** The place of its name. Absent for a stack that was not read from a file. */
  readonly namePlace?: Place | undefined;
  /** The files and folders that it was read from, absolute; `-` is standard input. Absent if its documents were not read. */
  readonly sources?: readonly string[];
  /** The files that values come from, absolute. Absent if its documents were not read. */
  readonly valueFiles?: readonly string[];
  /** The inventory backend. Default: the stack's server. */
  readonly inventory?: InventoryBackend | undefined;
  /** Absolute path of the inventory file, even if another backend is in use. */
  readonly inventoryFile: string;
  readonly policy: Policy;
}

/** A secret that could not be read. */
export interface UnresolvedValue {
  /** JSON Pointer in the document, from `/spec` on. */
  readonly path: string;
  readonly reason: string;
  readonly remedy: string | undefined;
}

/** One declared object: valid, normalized, its references resolved to natural keys. */
export interface DesiredObject {
  /** `Kind/name`, unique in the stack. */
  readonly address: string;
  readonly kind: Kind;
  readonly name: string;
  /** Undefined if unknown: then every rule on labels applies. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Complete and normalized. */
  readonly spec: JsonObject;
  /** Natural key as text; see core/kind/identity.ts. */
  readonly key: string;
  readonly scope: ScopeKey;
  /** Addresses in the stack that this one refers to. */
  readonly dependsOn: readonly string[];
  /** The lifecycle rules of its document. Absent if there are none. */
  readonly rules?: LifecycleRules | undefined;
  /** Pointers to members whose live values the run leaves unchanged. */
  readonly keptPaths?: readonly string[];
  /** Secrets that could not be read, for a plan that nobody applies: they are not compared. Absent if there are none. */
  readonly unresolved?: readonly UnresolvedValue[];
  /** The file for the generated secret, relative to the stack's folder. Undefined for kinds without one. */
  readonly secretTo?: string | undefined;
  /** The start of the document. */
  readonly place: Place;
  /** Returns the place of the value at a JSON Pointer in the document. Absent for an object that no document declares. */
  readonly locate?: (pointer: string) => Place;
  /** Returns the JSON Pointer into the declared spec of a value of {@link DesiredObject.spec}. Absent if the kind checks no values. */
  readonly declaredPointer?: (pointer: string) => string;
  /** Returns the file whose content is the value at a JSON Pointer; undefined for values in the document. Absent without such files. */
  readonly fileOf?: (pointer: string) => string | undefined;
  /** Of a partial object that restores fields: the fields to write. All others stay as recorded. Absent for a whole object. */
  readonly onlyFields?: readonly string[];
  /** Of a partial object: values that stand for the last-applied ones, by field: those that a run left. */
  readonly baseline?: JsonObject;
  /** The overlay or component that changed the document after it was read. Absent without one. */
  readonly modifiedBy?: "overlay" | "component";
}

/** Returns the address and the path of a value in the document of an object, with its place, for a diagnostic. */
export function locationIn(
  { address, place, locate }: Pick<DesiredObject, "address" | "place" | "locate">,
  path: string,
): { readonly address: string; readonly place: Place; readonly path: string } {
  return { address, place: locate?.(path) ?? place, path };
}

/** Returns whether the document of an object sets a field. */
export function declaresField({ spec }: Pick<DesiredObject, "spec">, field: string): boolean {
  return (member(spec, field) ?? undefined) !== undefined;
}

/** The declarations of a document outside its spec. */
export type DeclaredMetadata = Pick<DesiredObject, "labels" | "rules">;

/** A document of a type that the caller added. It declares no object. */
export interface ExtensionDocument {
  readonly kind: string;
  readonly name: string;
  readonly place: Place;
}

/** The desired state: everything the manifests declare. */
export interface DesiredState {
  readonly stack: Stack;
  /** In the order of the files and documents. */
  readonly objects: readonly DesiredObject[];
  /** Documents that declare no object: Removed, and types that the caller added, such as Pipeline. Absent if there are none. */
  readonly extensions?: readonly ExtensionDocument[];
  /** Of an undo: the addresses that it restores or deletes. It reads and changes nothing else, and needs no documents. */
  readonly undoScope?: ReadonlySet<string>;
  /** Of an undo: addresses of created objects that a later run changed, so that their deletes are conflicts. */
  readonly changedAfterRun?: ReadonlySet<string>;
  /** Of an undo: addresses of created objects that `--on-conflict keep` does not delete. */
  readonly keptFromDelete?: ReadonlySet<string>;
  /** SHA-256, in hexadecimal, over the normalized objects without their secrets. Independent of how they are written. */
  readonly digest: string;
}

/** The result of resolving manifests: the desired state, or all errors. */
export interface ResolveResult {
  readonly desired: DesiredState | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The observed objects of one kind, over all scopes that were read. */
export interface LiveObjects {
  readonly kind: Kind;
  readonly byKey: ReadonlyMap<string, ObservedObject>;
  readonly byId: ReadonlyMap<string, ObservedObject>;
  /** Natural keys that several live objects share, with their ids. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
}

/** The live state, by kind name. */
export type LiveState = ReadonlyMap<string, LiveObjects>;

/** An object that a stack owns. A type instead of an interface, so that it is a plain JSON object. */
export type Entry = {
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  readonly scope: ScopeKey;
  readonly id: string | undefined;
  /** The readable part of the last-applied state. Never a secret. */
  readonly lastApplied: JsonObject;
  /** Fingerprints of secrets and of fields that cannot be read back. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Absent for objects without a generated secret, and for adopted objects whose secret is unknown. */
  readonly secretTo?: SecretSink;
  /** The lifecycle rules that outlive the document. Absent if there are none. */
  readonly lifecycle?: RecordedLifecycle;
  /** The metadata of the last write, for rules on names and labels. Absent in inventories of older versions. */
  readonly metadata?: ObjectMetadata;
  /** The stack that adopts the object. It owns the object once its inventory records it. */
  readonly movingTo?: string;
  /** The stack that handed the object over. Absent after the first apply with its document: until then, prune keeps it. */
  readonly movedFrom?: string;
  /** A create started and its end was not recorded: the object may or may not exist. */
  readonly pending: boolean;
  /** ISO 8601. */
  readonly appliedAt: string;
};

/** The objects that a stack owns, with their last-applied state. */
export interface Inventory {
  readonly stack: string;
  /** Distinguishes two inventories of one name. */
  readonly lineage: string;
  /** Increases by one with every write. */
  readonly serial: number;
  /** Origin of the service. Undefined until the first apply. */
  readonly origin: string | undefined;
  /** Key for fingerprints of values that are not secret. */
  readonly salt: string;
  /** By address. */
  readonly entries: Readonly<Record<string, Entry>>;
  /** The state of pipelines, by name. Kept in a separate inventory. */
  readonly pipelines?: Readonly<Record<string, unknown>>;
  /** The last runs, oldest first. */
  readonly runs?: readonly RunRecord[];
}

/** The author of a run, and the reason for it. */
export interface Author {
  readonly by: string;
  readonly message?: string | undefined;
  /** The commit that the stack's folder is checked out at, in hexadecimal. */
  readonly commit?: string | undefined;
  /** Whether the files that the run reads differ from the commit; undefined if that is unknown. */
  readonly dirty?: boolean;
}

/** The change that a run made to one object. A type instead of an interface, so that it is a plain JSON object. */
export type RunChange = {
  readonly action: Action;
  readonly address: string;
  readonly kind: string;
  readonly name: string;
  /**
   * Address of its entry until the run, if that was another. It moved before the first change, regardless of the
   * result.
   */
  readonly formerAddress?: string;
  readonly key: string;
  /** The service's id of the object, once it has one. Another object may have the address later. */
  readonly id?: string;
  /** Absent while the run is in progress, and if it was killed. `partial`: it failed, and a part was written. */
  readonly result?: Outcome["result"] | "partial";
  /** The values of the changed fields before, of a delete those of all fields. `null` means absent. */
  readonly before?: JsonObject;
  /** The values of the same fields after, of a create those of all fields. */
  readonly after?: JsonObject;
  /** The fields among them with a secret or a part that the API does not return: their values are fingerprints. */
  readonly hidden?: readonly string[];
  /** The addresses of the owned objects that `before` refers to, by kind and natural key. */
  readonly references?: Readonly<Record<string, string>>;
  /** Set if the values are left out: they are too large. */
  readonly unrecorded?: true;
};

/** What a run of the verb `move` moved: an entry to or from another stack, or the name or server of the inventory. */
export type MoveRecord =
  | { readonly type: "entry-to"; readonly address: string; readonly stack: string }
  | { readonly type: "entry-from"; readonly address: string; readonly stack: string }
  | { readonly type: "name"; readonly from: string }
  | { readonly type: "server"; readonly from: string; readonly to: string };

/** One run in the history of an inventory. A type instead of an interface, so that it is a plain JSON object. */
export type RunRecord = {
  readonly id: string;
  /** `move` and `adopt` write only the inventory. */
  readonly verb: "apply" | "undo" | "move" | "adopt";
  readonly by: string;
  readonly message?: string;
  readonly commit?: string;
  /** Whether the files that the run read differed from the commit; missing if that is unknown. */
  readonly dirty?: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Absent while the run is in progress, and if it was killed. */
  readonly endedAt?: string;
  /** The number of changes by action. After the end of the run, only those that were done. */
  readonly counts: Readonly<Record<string, number>>;
  /** The number of changes that failed or were not tried. Absent if zero. */
  readonly incomplete?: number;
  /** Of an undo: the id of the run that it undoes. */
  readonly undoes?: string;
  /** Absent for other verbs than `move`. */
  readonly move?: MoveRecord;
  /** Absent if the run is too old for its changes to be kept. */
  readonly changes?: readonly RunChange[];
};

/** The inputs of a plan. */
export interface PlanBasis {
  readonly stack: string;
  readonly origin: string;
  /** {@link DesiredState.digest}. */
  readonly desired: string;
  /** Digest of the inventory's entries. */
  readonly inventory: string;
}

/** Calls to the server. */
export interface PlanCost {
  /** The calls that the plan took. */
  readonly readCalls: number;
  /** The calls that write objects. */
  readonly writeCalls: number;
  /** All calls of an apply: it plans, checks, writes, reads back, and records the run. Absent if it has nothing to do. */
  readonly applyCalls?: number;
  /** The minimum duration of an apply under the rate limit of the stack. */
  readonly seconds?: number;
}

/** A plan: a frozen, serialisable value. Exactly the shown plan is applied. */
export interface Plan {
  readonly format: typeof planFormat;
  readonly basis: PlanBasis;
  /** In the order of execution. Unchanged objects are counted, not listed. */
  readonly changes: readonly Change[];
  /** The number of unchanged objects. */
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Addresses that the plan was limited to. Absent for a plan of the whole stack. */
  readonly targets?: readonly string[];
  /** The checks that could not run before the first write, each in a few words. Absent if nothing was checked. */
  readonly notChecked?: readonly string[];
  readonly cost: PlanCost;
}

/** The outcome of one change. */
export interface Outcome {
  readonly address: string;
  readonly action: Action;
  /** `skipped`: a dependency failed, or the run stopped first. */
  readonly result: "done" | "failed" | "skipped";
  readonly failure:
    | { readonly code: ErrorCode; readonly message: string; readonly remedy?: string }
    | undefined;
  /** Of a failed change: a part was written, such as the delete of a replacement, or an object without its last fields. */
  readonly partial?: true;
}

/** The result of an apply. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** Why the run stopped early: the server was unreachable or kept failing. Undefined if it did not. */
  readonly stopped: Outcome["failure"];
  /** Differences that remain in the written objects, read back after the apply, each field with its cause. */
  readonly residual: readonly Change[];
  /** Why the written objects could not be read back. Undefined if they were. */
  readonly unverified: string | undefined;
  /** Why the inventory could not be written after the changes; undefined if it was. */
  readonly unrecorded?: Outcome["failure"];
  /** The id of the run in the history of the stack. Absent if there was nothing to do. */
  readonly runId?: string;
  /** A problem after the changes that affects no outcome, such as a lock that could not be released. */
  readonly warnings?: readonly Diagnostic[];
  /** Calls of the whole run, with reads and those that record it. */
  readonly calls: number;
  /** Calls that wrote objects, without retries. The plan estimates them. */
  readonly writeCalls: number;
}

/** An event of a run: the plan of an apply, also if it is refused, and its progress. */
export type ProgressEvent =
  | {
      readonly event: "plan";
      /** With the findings of policies. */
      readonly plan: Plan;
      /** The diagnostics of the manifests. */
      readonly diagnostics: readonly Diagnostic[];
      /** Addresses by kind and natural key. */
      readonly addressesByKey: ReadonlyMap<string, string>;
    }
  | ({ readonly event: "wait" } & WaitEvent)
  | { readonly event: "phase"; readonly phase: "read" | "check" | "apply" | "verify" }
  | {
      readonly event: "change";
      readonly address: string;
      readonly action: Action;
      readonly result: Outcome["result"];
      readonly done: number;
      readonly total: number;
      readonly layer: number;
    };
