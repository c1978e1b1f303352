// A kind: something a user can wish for. It names the operations that carry out its life; machinery never knows it by name.
import type { Static, TObject } from "typebox";
import { type Failure, invariant } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { AnyInput, AnswerOf, Input, Operation, RequestOf, RequestShape } from "./operation.ts";
import { Secret } from "./secret.ts";

/** How an object comes to be: by its own id, always there, part of a bulk upsert, there or not, or as files by hash. */
export type Shape = "item" | "singleton" | "entry" | "link" | "tree";

/** A live object as its kind sees it. */
export interface Sight<Spec = JsonObject> {
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
export interface ById<Spec = JsonObject> {
  /** Without them the collection is read instead. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Undefined where there is no such object in the collection. */
  read(
    reader: Reader,
    id: number,
    asked: { readonly scope: ScopeKey; readonly interest: ReadonlySet<string> },
  ): Promise<Sight<Spec> | undefined>;
}

/** How the objects of one collection are seen. */
export interface Observe {
  readonly cost: ObserveCost;
  /** Every one of them is called; without them the kind cannot be observed on a server. */
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** All objects of the collection; `interest` tells which spec fields anyone asks about, so that dear ones are not read for nothing. */
  read(reader: Reader, scope: ScopeKey, interest: ReadonlySet<string>): Promise<readonly Sight[]>;
  /** Sees one object by the service's own id; undefined in kinds that the API shows in lists only, or there in another form. */
  readonly byId: ById | undefined;
  /** Completes the sight of one object by calls of its own; only for objects that are asked about. Undefined: it is gone. */
  readonly detail:
    | ((reader: Reader, sight: Sight, interest: ReadonlySet<string>) => Promise<Sight | undefined>)
    | undefined;
}

/** One object that a write is about; `spec` is complete and normal, with secrets in clear. */
export interface Subject<Spec = JsonObject> {
  readonly spec: Spec;
  /** The object as it was observed; undefined where it is to be created. */
  readonly live: Sight<Spec> | undefined;
  /** Top-level spec fields that this write has to change; all given ones on a create. */
  readonly changed: ReadonlySet<string>;
}

/** A fact that a write needs and that is read from the service first, once a run for all writes that it is the same for. */
export interface Given<Fact = unknown> {
  readonly operation: Operation<RequestShape, unknown, "read">;
  /** Spec fields that the fact depends on; a batch agrees on them. Left out, it is one fact for the whole run. */
  readonly by?: readonly string[];
  /** Read through the reader, for the wish of one subject; undefined makes the write impossible, told with `missing`. */
  read(reader: Reader, spec: JsonObject): Promise<Fact | undefined>;
  /** What to tell the user when there is no such fact. */
  readonly missing: string;
}

/** One way to carry out a verb: an operation, and the codec from subjects to its input. */
export interface Way {
  readonly operation: Operation;
  readonly given: Given | undefined;
  /** Spec fields it can set; undefined means all. */
  readonly covers: readonly string[] | undefined;
  /** Fields that this way cannot clear although the kind can in general. */
  readonly cannotClear: readonly string[];
  /** Subjects that agree on these spec fields may share one call, up to `max`; a `max` of 1 is a call each. */
  readonly batch: { readonly by: readonly string[]; readonly max: number };
  input(subjects: readonly Subject[], fact: unknown): AnyInput;
  /** What became of each subject of a call that succeeded as a whole; undefined where that means that all of them did. */
  readonly outcome:
    | ((answer: unknown, subjects: readonly Subject[]) => readonly (Failure | undefined)[])
    | undefined;
  /** The secret in the answer of a create, where the kind mints one. */
  readonly minted: ((answer: unknown) => Secret) | undefined;
}

/**
 * A secret that the service makes along with an object and shows only once, in the answer of its create. Whoever creates
 * the object has to put it somewhere at once: a create whose answer was lost has made an object that nobody can use.
 */
export interface Mints {
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
  versions(reader: Reader, sight: Sight): Promise<readonly ListedVersion[]>;
  /** Where the object answers people, where it says so. */
  url(sight: Sight): string | undefined;
}

/** The verbs of a kind; of each list, the first way whose operations the server offers is taken. */
export interface Life {
  readonly observe: Observe;
  readonly create: readonly Way[];
  /** Several may be needed for one update, where each covers other fields. */
  readonly update: readonly Way[];
  readonly delete: readonly Way[];
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
  readonly implies: { readonly kind: string; readonly key: readonly string[] } | undefined;
  /** Verbs the API does not have for it, each with the reason that users are told. */
  readonly cannot: Readonly<Partial<Record<"create" | "update" | "delete", string>>>;
  /** Set where every create makes a secret; each of its ways then says where the answer holds it. */
  readonly mints: Mints | undefined;
  /** Set where its objects run versions of the platform that can be promoted from one to the next. */
  readonly releases: Releases | undefined;
  readonly life: Life;
  readonly examples: readonly Example<Spec>[];
}

/** What a way is told beside its operation and codec. */
export interface How<Fact> {
  readonly given?: Given<Fact>;
  readonly covers?: readonly string[];
  readonly cannotClear?: readonly string[];
}

/** How the answer of a create gives the secret that the kind mints. */
export interface Minting<Answer> {
  readonly minted?: (answer: Answer) => string;
}

/** How the answer of a call for many tells of each. */
export interface Outcome<Spec, Answer> {
  readonly outcome?: (
    answer: Answer,
    subjects: readonly Subject<Spec>[],
  ) => readonly (Failure | undefined)[];
}

/** Builders of ways, typed by the kind's spec. */
export interface WayBuilder<Spec> {
  /** A call for each object. */
  each<R extends RequestShape, Answer, Fact = undefined>(
    operation: Operation<R, Answer>,
    input: (subject: Subject<Spec>, fact: Fact) => Input<R>,
    how?: How<Fact> & Minting<Answer>,
  ): Way;
  /** One call for many objects that agree on the fields of `by`; `outcome` where its answer tells of each of them. */
  together<R extends RequestShape, Answer, Fact = undefined>(
    operation: Operation<R, Answer>,
    how: How<Fact> & Way["batch"] & Outcome<Spec, Answer>,
    input: (subjects: readonly [Subject<Spec>, ...Subject<Spec>[]], fact: Fact) => Input<R>,
  ): Way;
}

type Declared<Schema extends TObject> = Omit<
  Kind,
  "life" | "examples" | "cannot" | "cascades" | "implies" | "mints" | "releases" | "spec"
> & {
  readonly spec: Schema;
  readonly cascades?: boolean;
  readonly implies?: Kind["implies"];
  readonly cannot?: Kind["cannot"];
  readonly mints?: Mints;
  readonly releases?: Releases;
  readonly examples: readonly Example<Static<Schema>>[];
};

/** Declares a kind: what it is, and with typed builders, how it lives. */
export function defineKind<Schema extends TObject>(
  declared: Declared<Schema>,
  live: (way: WayBuilder<Static<Schema>>) => Life,
): Kind {
  const { cascades = false, implies, cannot = {}, mints, releases, examples, ...rest } = declared;
  const life = live(wayBuilder<Static<Schema>>());
  invariant(
    life.create.every(({ minted }) => (minted === undefined) === (mints === undefined)),
    `${declared.name} mints a secret in some of its creates only`,
  );
  return Object.freeze({
    ...rest,
    cascades,
    implies,
    cannot,
    mints,
    releases,
    life,
    examples: examples as readonly Example[],
  });
}

/** What {@link Observe} needs, typed by the spec it yields. */
export function observed<Spec>(observe: {
  cost: ObserveCost;
  needs: readonly Operation<RequestShape, unknown, "read">[];
  read: (
    reader: Reader,
    scope: ScopeKey,
    interest: ReadonlySet<string>,
  ) => Promise<readonly Sight<Spec>[]>;
  byId?: ById<Spec>;
  detail?: (
    reader: Reader,
    sight: Sight<Spec>,
    interest: ReadonlySet<string>,
  ) => Promise<Sight<Spec> | undefined>;
}): Observe {
  return { byId: undefined, detail: undefined, ...observe } as unknown as Observe;
}

function wayBuilder<Spec>(): WayBuilder<Spec> {
  return {
    each: (operation, input, how = {}) =>
      way(
        operation,
        { ...(how as How<unknown> & Minting<unknown>), by: [], max: 1 },
        ([subject], fact) => input(subject as never, fact as never),
      ),
    together: (operation, how, input) =>
      way(operation, how as never, (subjects, fact) => input(subjects as never, fact as never)),
  };
}

/** Where the types of a kind's own spec end: the machinery gives each way only subjects of its kind. */
function way(
  operation: unknown,
  how: How<unknown> & Way["batch"] & Partial<Pick<Way, "outcome">> & Minting<unknown>,
  input: (subjects: readonly Subject[], fact: unknown) => unknown,
): Way {
  const { given, covers, cannotClear = [], by, max, outcome, minted } = how;
  return {
    operation: operation as Operation,
    given,
    covers,
    cannotClear,
    batch: { by, max },
    input: input as Way["input"],
    outcome,
    minted: minted && ((answer) => new Secret(minted(answer))),
  };
}
