// A kind: something a user can wish for. It names the operations that carry out its life; machinery never knows it by name.
import type { Static, TObject } from "typebox";
import { type Failure, invariant } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { AnyInput, AnswerOf, Input, Operation, RequestOf, RequestShape } from "./operation.ts";
import { Secret } from "./secret.ts";

/** How an object comes to be: by its own id, always there, part of a bulk upsert, there or not, or as files by hash. */
export type Shape = "item" | "singleton" | "entry" | "link" | "tree";

/** A live object as its kind sees it. */
export interface ObservedObject<Spec = JsonObject> {
  /** The service's own id, where it gives one. */
  readonly id: string | undefined;
  /** What can be read back of the wish; unreadable fields are absent. */
  readonly spec: Partial<Spec>;
  readonly status: JsonObject;
}

/** Values of the fields that name a collection: `{ embedTenant: "acme" }`, or `{}` for one that the account has once. */
export type ScopeKey = Readonly<Record<string, string>>;

/** What observing may use: reads only, answered from pages that are read once a run. */
export interface Reader {
  /** Every item of a list, all pages; a collection whose parent does not exist is empty. */
  all<O extends Operation<RequestShape, unknown, "read">>(
    operation: O,
    input: Input<RequestOf<O>>,
  ): Promise<readonly AnswerOf<O>[]>;
  /** One object, or undefined where the service answers that it does not exist. */
  one<O extends Operation<RequestShape, unknown, "read">>(
    operation: O,
    input: Input<RequestOf<O>>,
  ): Promise<AnswerOf<O> | undefined>;
}

/** What observing costs: one listing for the account, one a parent, or calls for each object. */
export type ObserveCost = "list" | "perParent" | "perObject";

/** How one object is seen without its collection: just as {@link Observe.read} would show it, before `detail`. */
export interface ReadById<Spec = JsonObject> {
  /** Without them the collection is read instead. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Undefined where there is no such object in the collection. */
  read(
    reader: Reader,
    id: number,
    asked: { readonly scope: ScopeKey; readonly interest: ReadonlySet<string> },
  ): Promise<ObservedObject<Spec> | undefined>;
}

/** How the objects of one collection are seen. */
export interface Observe {
  readonly cost: ObserveCost;
  /** Every one of them is called; without them the kind cannot be observed on a server. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** All objects of the collection; `interest` tells which spec fields anyone asks about, so that dear ones are not read for nothing. */
  read(
    reader: Reader,
    scope: ScopeKey,
    interest: ReadonlySet<string>,
  ): Promise<readonly ObservedObject[]>;
  /** Sees one object by the service's own id; undefined in kinds that the API shows in lists only, or there in another form. */
  readonly byId: ReadById | undefined;
  /** Completes the sight of one object by calls of its own; only for objects that are asked about. Undefined: it is gone. */
  readonly detail:
    | ((
        reader: Reader,
        sight: ObservedObject,
        interest: ReadonlySet<string>,
      ) => Promise<ObservedObject | undefined>)
    | undefined;
}

/** One object that a write is about; `spec` is complete and normal, with secrets in clear. */
export interface ObjectWrite<Spec = JsonObject> {
  readonly spec: Spec;
  /** The object as it was observed; undefined where it is to be created. */
  readonly live: ObservedObject<Spec> | undefined;
  /** Top-level spec fields that this write has to change; all given ones on a create. */
  readonly changed: ReadonlySet<string>;
}

/** A fact that a write needs and that is read from the service first, once a run for all writes that it is the same for. */
export interface Prerequisite<Fact = unknown> {
  readonly operation: Operation<RequestShape, unknown, "read">;
  /** Spec fields that the fact depends on; a batch agrees on them. Left out, it is one fact for the whole run. */
  readonly dependsOn?: readonly string[];
  /** Read through the reader, for the wish of one subject; undefined makes the write impossible, told with `missing`. */
  read(reader: Reader, spec: JsonObject): Promise<Fact | undefined>;
  /** What to tell the user when there is no such fact. */
  readonly missingMessage: string;
}

/** One way to carry out a verb: an operation, and the codec from subjects to its input. */
export interface Binding {
  readonly operation: Operation;
  readonly prerequisite: Prerequisite | undefined;
  /** Spec fields it can set; undefined means all. */
  readonly covers: readonly string[] | undefined;
  /** Fields that this way cannot clear although the kind can in general. */
  readonly cannotClear: readonly string[];
  /** Subjects that agree on these spec fields may share one call, up to `max`; a `max` of 1 is a call each. */
  readonly batch: { readonly groupBy: readonly string[]; readonly max: number };
  input(subjects: readonly ObjectWrite[], fact: unknown): AnyInput;
  /** What became of each subject of a call that succeeded as a whole; undefined where that means that all of them did. */
  readonly outcome:
    | ((answer: unknown, subjects: readonly ObjectWrite[]) => readonly (Failure | undefined)[])
    | undefined;
  /** The secret in the answer of a create, where the kind mints one. */
  readonly extractSecret: ((answer: unknown) => Secret) | undefined;
}

/**
 * A secret that the service makes along with an object and shows only once, in the answer of its create. Whoever creates
 * the object has to put it somewhere at once: a create whose answer was lost has made an object that nobody can use.
 */
export interface GeneratedSecret {
  /** What front ends with outputs call it; neither a field of the spec nor of the status. */
  readonly name: string;
  /** What it is, in a sentence of Markdown. */
  readonly doc: string;
}

/** A version of the platform that an object may run. */
export interface ListedVersion {
  /** `1.2.3`. */
  readonly version: string;
  readonly channel: string;
  readonly isNewestInChannel: boolean;
}

/** How objects of a kind run a version of the platform: what promoting them needs to know. */
export interface Releases {
  /** The spec field that holds `channel`, `version` and `hold`. */
  readonly field: string;
  /** The update channels there are. */
  readonly channels: readonly string[];
  /** What {@link Releases.versions} calls. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** The versions that an object may run. */
  versions(reader: Reader, sight: ObservedObject): Promise<readonly ListedVersion[]>;
  /** Where the object answers people, where it says so. */
  url(sight: ObservedObject): string | undefined;
}

/** The verbs of a kind; of each list, the first way whose operations the server offers is taken. */
export interface Bindings {
  readonly observe: Observe;
  readonly create: readonly Binding[];
  /** Several may be needed for one update, where each covers other fields. */
  readonly update: readonly Binding[];
  readonly delete: readonly Binding[];
}

/** An example of a kind: shown in docs and run as a test. */
export interface Example<Spec = JsonObject> {
  readonly title: string;
  /** `metadata.name` in the example. */
  readonly name: string;
  /** The wish as a user writes it. */
  readonly spec: Partial<Spec>;
  /** New values, one field at a time, that conformance changes it to, `null` to clear; a field that replaces belongs here too. */
  readonly variations: { readonly [Field in keyof Spec]?: Spec[Field] | null };
}

/** What a kind says of itself. */
export interface Kind<Spec extends JsonObject = JsonObject> {
  /** PascalCase, singular. */
  readonly name: string;
  /** Plural for people and URLs, kebab-case. */
  readonly plural: string;
  /** What it is, in a sentence or two of Markdown. */
  readonly doc: string;
  readonly shape: Shape;
  /** The wish: every field with its traits. */
  readonly spec: TObject;
  /** What the service reports; never compared. */
  readonly status: TObject;
  /** Spec fields that together name one object for people; unique in an account. */
  readonly key: readonly string[];
  /** Those of `key` that name the collection it is listed in. */
  readonly scope: readonly string[];
  /** Deleting it deletes the objects whose scope names it. */
  readonly cascades: boolean;
  /**
   * An object of another kind that the service makes along with one of this, where there is none: a stack that declares both
   * makes that one first, and not this where that failed. `key` lists our fields in the order of the other's key.
   */
  readonly createsImplicitly:
    | { readonly kind: string; readonly key: readonly string[] }
    | undefined;
  /** Verbs the API does not have for it, each with the reason that users are told. */
  readonly unsupported: Readonly<Partial<Record<"create" | "update" | "delete", string>>>;
  /** Set where every create makes a secret; each of its ways then says where the answer holds it. */
  readonly generatedSecret: GeneratedSecret | undefined;
  /** Set where its objects run versions of the platform that can be promoted from one to the next. */
  readonly releases: Releases | undefined;
  readonly bindings: Bindings;
  readonly examples: readonly Example<Spec>[];
}

/** What a way is told beside its operation and codec. */
export interface BindingOptions<Fact> {
  readonly prerequisite?: Prerequisite<Fact>;
  readonly covers?: readonly string[];
  readonly cannotClear?: readonly string[];
}

/** How the answer of a create gives the secret that the kind mints. */
export interface SecretExtraction<Answer> {
  readonly extractSecret?: (answer: Answer) => string;
}

/** How the answer of a call for many tells of each. */
export interface BatchOutcome<Spec, Answer> {
  readonly outcome?: (
    answer: Answer,
    subjects: readonly ObjectWrite<Spec>[],
  ) => readonly (Failure | undefined)[];
}

/** Builders of ways, typed by the kind's spec. */
export interface BindingBuilder<Spec> {
  /** A call for each object. */
  perObject<R extends RequestShape, Answer, Fact = undefined>(
    operation: Operation<R, Answer>,
    input: (subject: ObjectWrite<Spec>, fact: Fact) => Input<R>,
    how?: BindingOptions<Fact> & SecretExtraction<Answer>,
  ): Binding;
  /** One call for many objects that agree on the fields of `by`; `outcome` where its answer tells of each of them. */
  batched<R extends RequestShape, Answer, Fact = undefined>(
    operation: Operation<R, Answer>,
    how: BindingOptions<Fact> & Binding["batch"] & BatchOutcome<Spec, Answer>,
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
  | "generatedSecret"
  | "releases"
  | "spec"
> & {
  readonly spec: Schema;
  readonly cascades?: boolean;
  readonly createsImplicitly?: Kind["createsImplicitly"];
  readonly unsupported?: Kind["unsupported"];
  readonly generatedSecret?: GeneratedSecret;
  readonly releases?: Releases;
  readonly examples: readonly Example<Static<Schema>>[];
};

/** Declares a kind: what it is, and with typed builders, how it lives. */
export function defineKind<Schema extends TObject>(
  declared: KindDeclaration<Schema>,
  live: (way: BindingBuilder<Static<Schema>>) => Bindings,
): Kind {
  const {
    cascades = false,
    createsImplicitly,
    unsupported = {},
    generatedSecret,
    releases,
    examples,
    ...rest
  } = declared;
  const bindings = live(bindingBuilder<Static<Schema>>());
  invariant(
    bindings.create.every(
      ({ extractSecret }) => (extractSecret === undefined) === (generatedSecret === undefined),
    ),
    `${declared.name} mints a secret in some of its creates only`,
  );
  return Object.freeze({
    ...rest,
    cascades,
    createsImplicitly,
    unsupported,
    generatedSecret,
    releases,
    bindings,
    examples: examples as readonly Example[],
  });
}

/** What {@link Observe} needs, typed by the spec it yields. */
export function defineObserve<Spec>(observe: {
  cost: ObserveCost;
  needs: readonly Operation<RequestShape, unknown, "read">[];
  read: (
    reader: Reader,
    scope: ScopeKey,
    interest: ReadonlySet<string>,
  ) => Promise<readonly ObservedObject<Spec>[]>;
  byId?: ReadById<Spec>;
  detail?: (
    reader: Reader,
    sight: ObservedObject<Spec>,
    interest: ReadonlySet<string>,
  ) => Promise<ObservedObject<Spec> | undefined>;
}): Observe {
  return { byId: undefined, detail: undefined, ...observe } as unknown as Observe;
}

function bindingBuilder<Spec>(): BindingBuilder<Spec> {
  return {
    perObject: (operation, input, how = {}) =>
      createBinding(
        operation,
        { ...(how as BindingOptions<unknown> & SecretExtraction<unknown>), groupBy: [], max: 1 },
        ([subject], fact) => input(subject as never, fact as never),
      ),
    batched: (operation, how, input) =>
      createBinding(operation, how as never, (subjects, fact) =>
        input(subjects as never, fact as never),
      ),
  };
}

/** Where the types of a kind's own spec end: the machinery gives each way only subjects of its kind. */
function createBinding(
  operation: unknown,
  how: BindingOptions<unknown> &
    Binding["batch"] &
    Partial<Pick<Binding, "outcome">> &
    SecretExtraction<unknown>,
  input: (subjects: readonly ObjectWrite[], fact: unknown) => unknown,
): Binding {
  const {
    prerequisite: given,
    covers,
    cannotClear = [],
    groupBy: by,
    max,
    outcome,
    extractSecret: minted,
  } = how;
  return {
    operation: operation as Operation,
    prerequisite: given,
    covers,
    cannotClear,
    batch: { groupBy: by, max },
    input: input as Binding["input"],
    outcome,
    extractSecret: minted && ((answer) => new Secret(minted(answer))),
  };
}
