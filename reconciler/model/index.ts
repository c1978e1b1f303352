// The values that flow through the reconciler: stack, desired, live, inventory, plan, outcome. Types only.
import type { WaitEvent } from "../../client/types.ts";
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { DriftDirection, FieldChange } from "../../core/diff.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Guards, LifecycleRules } from "../../core/lifecycle-rules.ts";
import type { Kind, ScopeKey, ObservedObject } from "../../core/kind.ts";
import type { DifferenceCause } from "./difference-cause.ts";
import type { Freeze, Window } from "./windows/window-schema.ts";
import type { Pipeline } from "../../promotion/pipeline.ts";

/** What a stack lets the reconciler do by itself. */
export interface Policy {
  /** Delete owned objects that are no longer declared. Off unless the stack turns it on. */
  readonly prune: boolean;
  /** Deletes and replaces that one apply may carry out without `--allow-deletes`. */
  readonly maxDeletes: number;
  /** The same as a share of what the stack owns, in percent; the smaller of the two counts. Undefined is no such share. */
  readonly maxDeletePercent?: number | undefined;
  /** Calls in flight at once. */
  readonly concurrency: number;
  /** Calls a second; undefined is as fast as the server allows. */
  readonly requestsPerSecond: number | undefined;
  /** Times in which changes are allowed, or are not; none where left out. */
  readonly windows?: readonly Window[];
  /** Times in which nothing is changed; none where left out. */
  readonly freezes?: readonly Freeze[];
}

/** Where inventories are kept: in a file beside the Stack, at the server that the stack is for, or in a database. */
export type InventoryBackend = "file" | "service" | "postgres";

/** The manifests that are applied together and own what they made. */
export interface Stack {
  readonly name: string;
  /** Origin of the service that the stack is for; must agree with where the caller is connected. */
  readonly target: string | undefined;
  /** Absolute path of the folder that holds the Stack document. */
  readonly folder: string;
  /** That folder as seen from the caller's current one, for commands that messages tell; empty where it is the same. */
  readonly displayPath?: string | undefined;
  /** Where its name is written; left out of one that no file was read for. */
  readonly namePlace?: Place | undefined;
  /** Where the inventory is kept; where it is not given, at the stack's server if that keeps states, else in a file. */
  readonly inventory?: InventoryBackend | undefined;
  /** Absolute path of the inventory file, also where the inventory is kept elsewhere. */
  readonly inventoryFile: string;
  readonly policy: Policy;
}

/** One object that the stack wishes for: valid, normal, its references resolved to natural keys. */
export interface DesiredObject {
  /** `Kind/name`, unique in the stack. */
  readonly address: string;
  readonly kind: Kind;
  readonly name: string;
  /** Undefined where nobody knows them any more: then any rule on labels is about it. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Complete and normal. */
  readonly spec: JsonObject;
  /** Natural key as text; see core/identity.ts. */
  readonly key: string;
  readonly scope: ScopeKey;
  /** Addresses in the stack that this one refers to. */
  readonly dependsOn: readonly string[];
  /** What its document says of the object's life; left out where it says nothing. */
  readonly rules?: LifecycleRules | undefined;
  /** The file, relative to the stack's folder, that a minted secret goes to; undefined for kinds that mint none. */
  readonly secretTo?: string | undefined;
  /** Where the document starts. */
  readonly place: Place;
  /** Of a wish that gives fields back: just these are wished for, and of all else the record stays as it is. Left out for a whole wish. */
  readonly onlyFields?: readonly string[];
  /** What made its document say something else than its file; left out where nothing did. */
  readonly modifiedBy?: "overlay" | "script";
}

/** What a document says of its object beside the wish. */
export type DeclaredMetadata = Pick<DesiredObject, "labels" | "rules">;

/** Everything the manifests wish for. */
export interface DesiredState {
  readonly stack: Stack;
  /** In the order of the files and documents. */
  readonly objects: readonly DesiredObject[];
  /** The stack's pipelines, whose stages select among the wishes; left out where there are none. */
  readonly pipelines?: readonly Pipeline[];
  /** Set where these are a few wishes of somebody who takes a run back: that there are none then means what it says. */
  readonly partial?: true;
  /** SHA-256 over the normal wishes without their secrets, hexadecimal: the same for the same wish, however it is written. */
  readonly digest: string;
}

/** What resolving manifests gives: the wish, or every mistake at once. */
export interface ResolveResult {
  readonly desired: DesiredState | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The observed objects of one kind, over all scopes that were asked about. */
export interface LiveObjects {
  readonly kind: Kind;
  readonly byKey: ReadonlyMap<string, ObservedObject>;
  readonly byId: ReadonlyMap<string, ObservedObject>;
  /** Natural keys that several live objects have, with their ids. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
}

/** The observed world, by kind name. */
export type LiveState = ReadonlyMap<string, LiveObjects>;

/** Where the secret of an object was put, or is to be. */
export type SecretSink = {
  /** Relative to the stack's folder. */
  readonly file: string;
  /** Keyed fingerprint of the secret that was written there; left out until it was. */
  readonly mark?: string;
};

/** What the document of an object is called and labelled; what is left out nobody knows, so that it may be anything. A plain JSON object. */
export type ObjectMetadata = {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
};

/** As what rules know an object that goes along with another; a plain JSON object. */
export type CascadedMetadata = ObjectMetadata & { readonly kind: string };

/** An object that a stack owns; a plain JSON object, so a type and not an interface. */
export type Entry = {
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  readonly scope: ScopeKey;
  readonly id: string | undefined;
  /** The readable part of what was last applied; never a secret. */
  readonly lastApplied: JsonObject;
  /** Of fields that cannot be read back, and of secrets. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Left out for objects without a secret, and for those whose secret was never ours. */
  readonly sink?: SecretSink;
  /** What the document asked to be kept of its rules; left out where that is nothing. */
  readonly guards?: Guards;
  /** As what the object was written last, for rules on names and labels; left out by versions that did not keep it. */
  readonly knownAs?: ObjectMetadata;
  /** A create was begun and its end was never recorded: it may or may not exist. */
  readonly pending: boolean;
  /** ISO 8601. */
  readonly appliedAt: string;
};

/** What a stack owns and last applied. */
export interface Inventory {
  readonly stack: string;
  /** Tells two inventories of one name apart. */
  readonly lineage: string;
  /** Grows by one with every write. */
  readonly serial: number;
  /** Origin of the service the objects live on; undefined while nothing was applied. */
  readonly origin: string | undefined;
  /** Key of the fingerprints of values that are not secret. */
  readonly salt: string;
  /** By address. */
  readonly entries: Readonly<Record<string, Entry>>;
  /** What pipelines have done so far, by name; in an inventory of their own. */
  readonly pipelines?: Readonly<Record<string, unknown>>;
  /** The last runs, oldest first. */
  readonly runs?: readonly RunRecord[];
}

/** Who makes a run, and why. */
export interface Author {
  readonly by: string;
  readonly message?: string | undefined;
  /** The commit that the stack's folder is at, hexadecimal. */
  readonly commit?: string | undefined;
}

/** What a run did to one object; a plain JSON object, so a type and not an interface. */
export type RunChange = {
  readonly action: Action;
  readonly address: string;
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  /** The service's id of the object, once it has one; what has the address later may be another. */
  readonly id?: string;
  /** Left out while the run goes on, and where it was killed. */
  readonly result?: Outcome["result"];
  /** What could be read of the object before: of an update the fields that it changed, of a delete or replace all. `null` is not there. */
  readonly before?: JsonObject;
  /** Fields that were changed or lost and of which nothing can be put back: secrets, and what the API does not show. */
  readonly hidden?: readonly string[];
};

/** One run, as the inventory remembers it; a plain JSON object, so a type and not an interface. */
export type RunRecord = {
  readonly id: string;
  /** `move`: the inventory alone was taken over from elsewhere. */
  readonly verb: "apply" | "undo" | "move";
  readonly by: string;
  readonly message?: string;
  readonly commit?: string;
  /** ISO 8601. */
  readonly begunAt: string;
  /** Left out while the run goes on, and where it was killed. */
  readonly endedAt?: string;
  /** Changes by what they are; once the run has ended, those that were done. */
  readonly counts: Readonly<Record<string, number>>;
  /** Changes that failed or were not tried; left out where there are none. */
  readonly undone?: number;
  /** Of an undo: the run that it takes back. */
  readonly undoes?: string;
  /** Left out where the run is too old for what it changed to be kept. */
  readonly changes?: readonly RunChange[];
};

/** What happens to one object. `none` writes only the inventory: the object is as wished, our record of it is not. */
export type Action =
  | "create"
  | "update"
  | "replace"
  | "delete"
  | "adopt"
  | "forget"
  | "none"
  | "refuse"
  | "orphan";

/** One field of a change, with who moved. */
export interface PlannedField extends FieldChange {
  readonly direction: DriftDirection;
  /** Of a conflict: what was applied last, where there was something and the inventory may hold it. */
  readonly base?: JsonValue;
  /** Of what still differs after an apply: how that came about, where it can be told. */
  readonly cause?: DifferenceCause;
}

/** What must still hold when the change is carried out: nothing there, or these fields of the live object with this digest. */
export type Precondition =
  | { readonly absent: true }
  | { readonly digest: string; readonly fields: readonly string[] };

/** One action of a plan. */
export interface Change {
  readonly action: Action;
  readonly address: string;
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  readonly scope: ScopeKey;
  /** The service's id of the object acted upon, where there is one. */
  readonly id: string | undefined;
  /** Natural key and scope of the live object acted upon, where they differ from the wish's. */
  readonly from: { readonly key: string; readonly scope: ScopeKey } | undefined;
  readonly fields: readonly PlannedField[];
  /** Who moved, over all fields; `drifted` also for an owned object that somebody deleted. */
  readonly direction: DriftDirection;
  /** The normal wish without its secrets; undefined where nothing is wished for. */
  readonly desired: JsonObject | undefined;
  /** Fingerprints of the wish's secrets, by their place in the spec; left out where there are none. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Where the secret goes that carrying this out mints, or where the one that there is lies; left out where there is none. */
  readonly secretTo?: SecretSink;
  readonly precondition: Precondition;
  /** Position in the order of creates, from 0; deletes run from the highest down. */
  readonly layer: number;
  /** Of a forgotten record: the address that has its object now. Left out where the object is gone. */
  readonly movedTo?: string;
  /** Of a forgotten record: the object stays on the server, and is no longer ours. */
  readonly abandoned?: true;
  /** What the inventory keeps from then on of the document's rules; left out where that is nothing. */
  readonly guards?: Guards;
  /** What its document says today; left out where there is none. */
  readonly metadata?: ObjectMetadata;
  /** As what the object was written last; left out for objects that are not there yet. */
  readonly previousMetadata?: ObjectMetadata;
  /** Addresses whose success this change needs. */
  readonly dependsOn: readonly string[];
  /** Address whose delete takes this object with it, so that it needs no call of its own. */
  readonly cascadedBy: string | undefined;
  /** Live objects inside that go with this one and that no change tells of, counted by kind; left out where there are none. */
  readonly cascadeCounts?: Readonly<Record<string, number>>;
  /** As what rules know the objects that go with this one and that no change tells of, each once; left out where there are none. */
  readonly cascadedMetadata?: readonly CascadedMetadata[];
  /** Addresses, or reasons, that keep this change from being carried out; empty when nothing does. */
  readonly blockedBy: readonly string[];
  /** Fields that the API does not show, so that nobody can tell whether they have drifted. */
  readonly notVerifiable: readonly string[];
}

/** What a plan was made from. */
export interface PlanBasis {
  readonly stack: string;
  readonly origin: string;
  /** {@link DesiredState.digest}. */
  readonly desired: string;
  /** Digest of the inventory's entries. */
  readonly inventory: string;
}

/** A frozen, serialisable value: what is shown is what is applied. */
export interface Plan {
  readonly format: 1;
  readonly basis: PlanBasis;
  /** In the order they are carried out; objects with nothing to do are counted, not listed. */
  readonly changes: readonly Change[];
  /** Objects that are as wished. */
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** What nobody could find out before the first write, each in a few words; left out where nothing was looked for. */
  readonly notVerified?: readonly string[];
  /** Calls that observing took and applying will take; `seconds` those will take at least, where the stack allows so many a second. */
  readonly cost: {
    readonly readCalls: number;
    readonly writeCalls: number;
    readonly seconds?: number;
  };
}

/** How one change ended. */
export interface Outcome {
  readonly address: string;
  readonly action: Action;
  /** `skipped`: something it needs failed, or the run was stopped first. */
  readonly result: "done" | "failed" | "skipped";
  readonly failure:
    | { readonly code: ErrorCode; readonly message: string; readonly remedy?: string }
    | undefined;
}

/** What an apply did. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** Why changes were skipped untried: the server could not be reached, or failed again and again; undefined otherwise. */
  readonly stopped: Outcome["failure"];
  /** What still differs in what was written, read again after the apply; each field with its cause. */
  readonly residual: readonly Change[];
  /** Why what was written could not be read again; undefined when it was. */
  readonly unverified: string | undefined;
  readonly calls: number;
}

/** What a run tells while it goes on. */
export type ProgressEvent =
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
