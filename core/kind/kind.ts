// The declaration of a kind (resource type): its schemas and the operations that observe, create, update and delete its objects.
import type { Static, TObject } from "typebox";
import type { Batch, BatchOptions } from "./batch.ts";
import { invariant } from "../errors.ts";
import type { Example } from "./example.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { memoizePerObject } from "../memoize.ts";
import type {
  AnyInput,
  AnswerOf,
  Input,
  Operation,
  RequestOf,
  RequestShape,
} from "../operation/operation.ts";
import type { Preparation } from "../operation/preparation.ts";
import type { ReadTogether } from "./read-together.ts";
import type { ImplicitCreate, ListEntry, ObjectLimit, SharedFields } from "./related-objects.ts";
import type { CandidateName, ListedVersion, ReleaseCheckName } from "./releases.ts";
import type { CredentialRole } from "./run-credential.ts";
import { type GeneratedSecret, Secret } from "../secret.ts";
import { isSingleton, type Shape, unsupportedBySingletons } from "./shape.ts";
import type { FieldChoices, OfflineError, OfflineWarnings, ValueCheck } from "./server-checks.ts";
import type { UnidentifiedObjects } from "./unidentified.ts";
import type { WriteOutcome } from "../operation/write-outcome.ts";

/** A live object as the API returned it. */
export interface ObservedObject<Spec = JsonObject> {
  /**
   * The service's own ID, otherwise the IDs of the objects that contain this one, with its name if it is one of many.
   * Renames of those objects do not change it. Undefined for a singleton, and until the server was read.
   */
  readonly id: string | undefined;
  /** The readable fields of the spec. */
  readonly spec: Partial<Spec>;
  readonly status: JsonObject;
}

/** Values of the fields that identify a collection: `{ embedTenant: "acme" }`, or `{}` for a collection of the account. */
export type ScopeKey = Readonly<Record<string, string>>;

/** Read-only access to the API for observing. Responses are cached for the run. */
export interface Reader {
  /**
   * Returns all items of a list; an empty list if the parent does not exist. With `ids`, returns only the items with
   * these IDs if the server can select them.
   */
  all<O extends Operation<RequestShape, unknown, "read">>(
    operation: O,
    input: Input<RequestOf<O>>,
    ids?: readonly number[],
  ): Promise<readonly AnswerOf<O>[]>;
  /** Returns all items of a list; undefined if it has more than `pages` pages. */
  allWithin<O extends Operation<RequestShape, unknown, "read">>(
    pages: number,
    operation: O,
    input: Input<RequestOf<O>>,
  ): Promise<readonly AnswerOf<O>[] | undefined>;
  /** Returns one object; undefined if it does not exist. */
  one<O extends Operation<RequestShape, unknown, "read">>(
    operation: O,
    input: Input<RequestOf<O>>,
  ): Promise<AnswerOf<O> | undefined>;
  /** Returns a text that the run has read already, such as a file of a manifest, by hash. */
  knownText(hash: string): string | undefined;
}

/** Cost of observing: one list for the account, one list per parent, or calls for each object. */
export type ObserveCost = "list" | "perParent" | "perObject";

/** Reads one object without its collection, in the form of {@link Observe.read} before `detail`. */
export interface ReadById<Spec = JsonObject> {
  /** Required operations. Without them, the collection is read instead. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Returns the object; undefined if the collection does not contain it. */
  read(
    reader: Reader,
    id: number,
    request: { readonly scope: ScopeKey; readonly interest: ReadonlySet<string> },
  ): Promise<ObservedObject<Spec> | undefined>;
}

/** Reads the objects of one collection. */
export interface Observe<Spec = JsonObject> {
  readonly cost: ObserveCost;
  /** Required operations. Without them, a server does not support observing the kind. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Reads all objects of the collection. `interest` lists the required spec fields, so that expensive ones are read only if needed. */
  read(
    reader: Reader,
    scope: ScopeKey,
    interest: ReadonlySet<string>,
  ): Promise<readonly ObservedObject<Spec>[]>;
  /** Reads many collections with one list. */
  readonly together?: ReadTogether<Reader, ObservedObject<Spec>>;
  /** Reads one object by ID; undefined for kinds that the API returns only in lists, or in lists with other fields. */
  readonly byId: ReadById<Spec> | undefined;
  /** The list with an item for each object of the collection, with its ID, new ones first. */
  readonly items?: Operation<RequestShape, unknown, "read">;
  /** Finds objects that {@link Observe.read} leaves out because they have no natural key. */
  readonly unidentified?: UnidentifiedObjects<Reader>;
  /** Completes one required object with further calls. Returns undefined if the object no longer exists. */
  readonly detail:
    | ((
        reader: Reader,
        observed: ObservedObject<Spec>,
        interest: ReadonlySet<string>,
      ) => Promise<ObservedObject<Spec> | undefined>)
    | undefined;
}

/** One object to write. `spec` is complete and normalized, with secrets in clear text. */
export interface ObjectWrite<Spec = JsonObject> {
  readonly spec: Spec;
  /** The observed object; undefined for a create. */
  readonly live: ObservedObject<Spec> | undefined;
  /** Top-level spec fields to change; all declared fields on a create. */
  readonly changed: ReadonlySet<string>;
}

/** A value that a write requires and that is read first, once per run for all writes that share it. */
export interface Prerequisite<Fact = unknown> {
  readonly operation: Operation<RequestShape, unknown, "read">;
  /** Spec fields that the value depends on; writes in one batch agree on them. Without it, one value serves the whole run. */
  readonly dependsOn?: readonly string[];
  /** Reads the value for one spec. If it is undefined, the write fails with `missingMessage`. */
  read(reader: Reader, spec: JsonObject): Promise<Fact | undefined>;
  /** Error message for a missing value. */
  readonly missingMessage: string;
}

/** Binds a verb to an operation, and converts writes to the operation's input. */
export interface Binding {
  readonly operation: Operation;
  readonly prerequisite: Prerequisite | undefined;
  /** Calls before the call of the operation. Their value is then the second argument of `input`. */
  readonly preparation: Preparation<ObjectWrite> | undefined;
  /** Spec fields that the operation can set; undefined means all. */
  readonly covers: readonly string[] | undefined;
  /** Fields that this binding cannot clear, although another binding of the kind can. */
  readonly cannotClear: readonly string[];
  readonly batch: Batch;
  /** Set if a create silently updates an object that already exists: the fields that it empties unless the request sets them. */
  readonly upserts: readonly string[] | undefined;
  /** Whether the server refuses to create an object whose key exists, and does not change it. Otherwise the key is looked up first. */
  readonly refusesExisting: boolean;
  input(subjects: readonly ObjectWrite[], fact: unknown): AnyInput;
  /** Returns the outcome of each write of a successful call; undefined if all writes succeed with the call. */
  readonly outcome:
    | ((answer: unknown, subjects: readonly ObjectWrite[]) => readonly WriteOutcome[])
    | undefined;
  /** Returns the generated secret from the response of a create. */
  readonly extractSecret: ((answer: unknown) => Secret) | undefined;
}

/** A question to the API about an object that runs a version. */
export interface ReleaseCheck {
  /** Operations that {@link ReleaseCheck.run} calls. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Returns the result for an object by its ID; undefined while it is open. */
  run(
    reader: Reader,
    id: string,
    version: string,
  ): Promise<{ readonly passed: boolean; readonly message: string } | undefined>;
}

/** Describes how objects of a kind run platform versions, or commits of data models, for promotions. */
export interface Releases {
  readonly candidates: CandidateName;
  /** Pointer to the version in the spec. */
  readonly versionAt: string;
  /** Pointer to the channel in the spec. */
  readonly channelAt: string;
  /** Fields of the spec that decide what is listed, where that differs between objects. */
  readonly listedBy?: readonly string[];
  /** All release channels; none for commits. */
  readonly channels: readonly string[];
  /** Operations that {@link Releases.versions} calls. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Returns the versions available to an object; commits in their order, the newest first. */
  versions(reader: Reader, observed: ObservedObject): Promise<readonly ListedVersion[]>;
  /** Returns the version that an object runs. */
  readonly running: (observed: ObservedObject) => JsonValue | undefined;
  /** Returns the URL of the object, if it has one. */
  readonly url: (reader: Reader, observed: ObservedObject) => Promise<string | undefined>;
  readonly checks: Readonly<Record<ReleaseCheckName, ReleaseCheck>>;
}

/** The bindings of a kind. For each verb, the first binding whose operations the server offers is used. */
export interface Bindings {
  readonly observe: Observe;
  readonly create: readonly Binding[];
  /** One update can require several bindings that cover different fields. */
  readonly update: readonly Binding[];
  readonly delete: readonly Binding[];
}

/** A resource type. */
export interface Kind<Spec extends JsonObject = JsonObject> {
  /** PascalCase, singular. */
  readonly name: string;
  /** Plural name in kebab-case. */
  readonly plural: string;
  /** Description in one or two sentences of Markdown. */
  readonly doc: string;
  readonly shape: Shape;
  /** Schema of the desired state: every field with its traits. */
  readonly spec: TObject;
  /** Schema of values that the service reports. They are never compared. */
  readonly status: TObject;
  /** Natural key: spec fields that together identify one object in an account. None for a singleton. */
  readonly key: readonly string[];
  /** The fields of `key` that identify the object's collection. */
  readonly scope: readonly string[];
  /** Whether deleting an object deletes the objects whose scope contains it. */
  readonly cascades: boolean;
  /** Set if the service creates an object of another kind with one of this kind. A stack that declares both creates that first, and skips this one if that fails. */
  readonly createsImplicitly: ImplicitCreate | undefined;
  /** Set if another object has the same fields. A stack declares each field on one of the two, or with the same value on both. */
  readonly sharesFields?: SharedFields;
  /** Set if the server limits the number of objects of one scope. */
  readonly limit?: ObjectLimit;
  /** Names of singletons that the API requires to be set first: in a stack that declares one, objects of this kind wait for it. */
  readonly requiresSettings: readonly string[];
  /** Set if a field of another object also lists objects of this kind. A stack declares one of the two. */
  readonly entryOf: ListEntry | undefined;
  /** Verbs that the API does not support for the kind, with the reason shown to users. */
  readonly unsupported: Readonly<Partial<Record<"create" | "update" | "delete", string>>>;
  /** Type of the objects in the audit log; `plural` by default. */
  readonly recordedAs?: string;
  /** Set if every create generates a secret. Each create binding then declares `extractSecret`. */
  readonly generatedSecret: GeneratedSecret | undefined;
  /** Set if objects run platform versions or commits that can be promoted. */
  readonly releases: Releases | undefined;
  /** The fields whose values are checked against a list of the server before the first write. */
  readonly choices: readonly FieldChoices<Reader>[];
  /** Asks the server for errors in values before the first write. */
  readonly check?: ValueCheck<Reader>;
  /** Set if the credential of a run can depend on an object of this kind. */
  readonly credentialRole?: CredentialRole;
  /** Returns errors that the schema cannot express, without a server. Skips absent values and those of another type. */
  readonly offlineErrors?: (spec: JsonObject) => readonly OfflineError[];
  /** Returns values that have no effect because of other declared objects, without a server. */
  readonly offlineWarnings?: OfflineWarnings;
  /** Returns the side effects of a rename, as a sentence; undefined without any. `spec`: the object after it. */
  readonly renameEffect?: (spec: JsonObject) => string | undefined;
  readonly bindings: Bindings;
  readonly examples: readonly Example<Spec>[];
}

/** Options of a binding. */
export interface BindingOptions<Fact> {
  readonly prerequisite?: Prerequisite<Fact>;
  readonly covers?: readonly string[];
  readonly cannotClear?: readonly string[];
  readonly upserts?: readonly string[];
  readonly refusesExisting?: true;
}

/** Extracts the generated secret from the response of a create. */
export interface SecretExtraction<Answer> {
  readonly extractSecret?: (answer: Answer) => string;
}

/** Reads the result of each write from the response of a batch. */
export interface BatchOutcome<Spec, Answer> {
  readonly outcome?: (
    answer: Answer,
    subjects: readonly ObjectWrite<Spec>[],
  ) => readonly WriteOutcome[];
}

/** Builds bindings, typed by the kind's spec. */
export interface BindingBuilder<Spec> {
  /** Binds a verb to one call per object, after the calls of `preparation`. */
  perObject<R extends RequestShape, Answer, Fact = undefined, Prepared = Fact>(
    operation: Operation<R, Answer>,
    input: (subject: ObjectWrite<Spec>, fact: Prepared) => Input<R>,
    how?: BindingOptions<Fact> &
      SecretExtraction<Answer> &
      Partial<Record<"preparation", Preparation<ObjectWrite<Spec>, Fact, Prepared>>>,
  ): Binding;
  /** Binds a verb to one call for many objects with equal `groupBy` fields. `outcome` reads the result of each object. */
  batched<R extends RequestShape, Answer, Fact = undefined>(
    operation: Operation<R, Answer>,
    how: BindingOptions<Fact> & BatchOptions & BatchOutcome<Spec, Answer>,
    input: (subjects: readonly [ObjectWrite<Spec>, ...ObjectWrite<Spec>[]], fact: Fact) => Input<R>,
  ): Binding;
}

type KindDeclaration<Schema extends TObject> = Omit<
  Kind,
  | "bindings"
  | "examples"
  | "unsupported"
  | "cascades"
  | "createsImplicitly"
  | "requiresSettings"
  | "entryOf"
  | "generatedSecret"
  | "releases"
  | "choices"
  | "spec"
> & {
  readonly spec: Schema;
  readonly cascades?: boolean;
  readonly createsImplicitly?: Kind["createsImplicitly"];
  readonly requiresSettings?: Kind["requiresSettings"];
  readonly entryOf?: Kind["entryOf"];
  readonly unsupported?: Kind["unsupported"];
  readonly generatedSecret?: GeneratedSecret;
  readonly releases?: Releases;
  readonly choices?: readonly FieldChoices<Reader>[];
  readonly examples: readonly Example<Static<Schema>>[];
};

/** Declares a kind. `live` builds its bindings, typed by the spec. */
export function defineKind<Schema extends TObject>(
  declared: KindDeclaration<Schema>,
  live: (bind: BindingBuilder<Static<Schema>>) => Bindings,
): Kind {
  const {
    cascades = false,
    createsImplicitly,
    requiresSettings = [],
    entryOf,
    unsupported = isSingleton(declared) ? unsupportedBySingletons : {},
    generatedSecret,
    releases,
    choices = [],
    examples,
    ...rest
  } = declared;
  const bindings = live(bindingBuilder<Static<Schema>>());
  invariant(
    isSingleton(declared) === (declared.key.length === 0),
    `${declared.name} must have key fields, or none if it is a singleton`,
  );
  invariant(
    bindings.create.every(
      ({ extractSecret }) => (extractSecret === undefined) === (generatedSecret === undefined),
    ),
    `${declared.name} must extract its generated secret in every create binding`,
  );
  return Object.freeze({
    ...rest,
    cascades,
    createsImplicitly,
    requiresSettings,
    entryOf,
    unsupported,
    generatedSecret,
    releases,
    choices,
    bindings,
    examples: examples as readonly Example[],
  });
}

/** Declares how a kind is observed, typed by its spec. */
export function defineObserve<Spec>(
  observe: Omit<Observe<Spec>, "byId" | "detail"> & Partial<Pick<Observe<Spec>, "byId" | "detail">>,
): Observe {
  return { byId: undefined, detail: undefined, ...observe } as unknown as Observe;
}

function bindingBuilder<Spec>(): BindingBuilder<Spec> {
  return {
    perObject: (operation, input, how = {}) =>
      createBinding(operation, { ...(how as object), groupBy: [], max: 1 }, ([subject], fact) =>
        input(subject as never, fact as never),
      ),
    batched: (operation, how, input) =>
      createBinding(operation, how as never, (subjects, fact) =>
        input(subjects as never, fact as never),
      ),
  };
}

/** Builds a binding and erases the type of the spec: callers pass each binding only writes of its kind. */
function createBinding(
  operation: unknown,
  how: BindingOptions<unknown> &
    BatchOptions &
    Partial<Pick<Binding, "outcome" | "preparation">> &
    SecretExtraction<unknown>,
  input: (subjects: readonly ObjectWrite[], fact: unknown) => unknown,
): Binding {
  const { prerequisite, covers, cannotClear = [], upserts, outcome, extractSecret } = how;
  const { groupBy, max, cost = 1, preparation, refusesExisting = false } = how;
  return {
    operation: operation as Operation,
    prerequisite,
    preparation,
    covers,
    cannotClear,
    batch: { groupBy, max, cost },
    upserts,
    refusesExisting,
    input: input as Binding["input"],
    outcome,
    extractSecret: extractSecret && ((answer) => new Secret(extractSecret(answer))),
  };
}

/** Returns the kinds by name. The map is built once per list. */
export const kindsByName = memoizePerObject(
  (kinds: readonly Kind[]): ReadonlyMap<string, Kind> =>
    new Map(kinds.map((kind) => [kind.name, kind])),
);
