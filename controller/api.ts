// The HTTP API of a controller: its sources, their plans and histories, and what operators do to them. Every request carries
// a token in the Authorization header; there are no cookies, so that no other page can use the token.
import type { IncomingMessage } from "node:http";
import { type Static, type TSchema, Type } from "typebox";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { refuseMethod } from "../core/operation/allowed-methods.ts";
import { declaredValidator, validator } from "../core/schema/validate.ts";
import { visiblePattern } from "../core/text/text-patterns.ts";
import {
  approvePlan,
  assertReconcilable,
  rejectPlan,
  resumeSource,
  suspendSource,
} from "./actions.ts";
import { createStreams } from "./api-streams.ts";
import { type AuthenticationOptions, createAuthentication, refuseRole } from "./api-tokens.ts";
import type { Role, SourceList, SourceOverview } from "./api-types.ts";
import type { Caller, ControllerConfig, Source } from "./config.ts";
import type { ActionEvent } from "./events.ts";
import { type LastReconciliation, readHistory, readRecordedPlan } from "./history.ts";
import { bodyOf, type HttpResponse, methodNotAllowed, notFound, type Route } from "./http.ts";
import { overviewsOf } from "./overview.ts";
import { savedPromotions } from "./promotions.ts";
import { type StageAction, stageActions } from "./stage-actions.ts";
import { type Documents, documentsOf } from "./state-store.ts";

/** The options of {@link createApi}. */
export interface ApiOptions extends AuthenticationOptions {
  readonly config: ControllerConfig;
  readonly now: () => Date;
  readonly last: (source: string) => Promise<LastReconciliation | undefined>;
  /** Acts on a stage of a pipeline of a source. */
  readonly actOnStage: (source: Source, action: StageAction) => Promise<object>;
  /** Called after an action. The source is reconciled soon. */
  readonly onAction: (event: ActionEvent) => Promise<void>;
}

/** The API of a controller. */
export interface Api {
  /** Answers a request for a path below `/api/`. */
  respond(request: IncomingMessage, path: string): Promise<HttpResponse>;
  /** Tells the open streams about sources. */
  publish(...names: readonly string[]): Promise<void>;
  close(): void;
}

type Action = ActionEvent["action"];

const closed = { additionalProperties: false } as const;
const text = Type.String({
  minLength: 1,
  maxLength: limits.messageCharacters,
  pattern: visiblePattern,
});
const plan = Type.String({ minLength: 1, maxLength: 64 });
const stage = { pipeline: text, stage: text } as const;

/** Body and role of each action. */
const actions = {
  reconcile: { role: "operator", body: Type.Object({ reason: Type.Optional(text) }, closed) },
  suspend: { role: "operator", body: Type.Object({ reason: text, expires: text }, closed) },
  resume: { role: "operator", body: Type.Object({ reason: Type.Optional(text) }, closed) },
  approve: {
    role: "approver",
    body: Type.Object({ plan, reason: Type.Optional(text) }, closed),
  },
  reject: { role: "approver", body: Type.Object({ plan, reason: text }, closed) },
  "hold-stage": { role: "operator", body: Type.Object({ ...stage, reason: text }, closed) },
  "release-stage": {
    role: "operator",
    body: Type.Object({ ...stage, reason: Type.Optional(text) }, closed),
  },
  "approve-version": {
    role: "approver",
    body: Type.Object({ ...stage, version: text, reason: Type.Optional(text) }, closed),
  },
} as const satisfies Record<Action, { readonly role: Role; readonly body: TSchema }>;

for (const { body } of Object.values(actions)) declaredValidator(body);

/** The members of the bodies of all actions. */
type ActionInput = Partial<
  Record<"reason" | "expires" | "plan" | "pipeline" | "stage" | "version", string>
>;

/** Returns the API of a controller whose configuration has tokens or a login. */
export function createApi(options: ApiOptions): Api {
  const { config, now } = options;
  const sourceNamed = (wanted: string): Source | undefined =>
    config.sources.find(({ name }) => name === wanted);
  const overviews = (sources: readonly Source[]): Promise<readonly SourceOverview[]> =>
    overviewsOf(config, sources, {
      findLast: ({ name }) => options.last(name),
      now: now(),
    });
  const overview = async (source: Source): Promise<SourceOverview> =>
    required((await overviews([source]))[0]);
  const streams = createStreams();
  const authenticate = createAuthentication(options);
  const list = async ({ name, role }: Caller): Promise<SourceList> => ({
    token: { name, role },
    sources: await overviews(config.sources),
  });
  const routeOf = (path: string, caller: Caller): Route | undefined => {
    const [, , area, name = "", part, ...more] = path.split("/");
    if (area === "events" && name === "") {
      return get(async (request) =>
        streams.open(async () => isCaller(await authenticate(request))),
      );
    }
    if (area !== "sources" || more.length > 0) return undefined;
    if (name === "" && part === undefined) return get(async () => ok(await list(caller)));
    const source = sourceNamed(name);
    if (source === undefined) return undefined;
    if (part === undefined) {
      return get(async () => {
        const { event: lastReconciliation } = (await options.last(name)) ?? {};
        return ok({ ...(await overview(source)), lastReconciliation });
      });
    }
    if (!Object.hasOwn(actions, part)) return savedPart(part, documentsOf(config, source));
    const action = part as Action;
    return { methods: ["POST"], respond: (request) => act(request, { action, source, caller }) };
  };
  const act = async (
    request: IncomingMessage,
    { action, source, caller }: { action: Action; source: Source; caller: Caller },
  ): Promise<HttpResponse> => {
    const { role, body } = actions[action];
    const refused = refuseRole(caller, action, role);
    if (refused !== undefined) return refused;
    const input: ActionInput = await readInput(request, body);
    const order = { action, source: source.name, by: caller.name };
    const done = isStageAction(action)
      ? await options.actOnStage(source, stageAction(action, caller, input)).catch(refuseStage)
      : await run(config, { action, source: source.name, by: caller.name, input, now: now() });
    await options.onAction({ time: now().toISOString(), event: "action", ...order, ...input });
    return ok({ ...done, ...(await overview(source)) }, action === "reconcile" ? 202 : 200);
  };
  return {
    respond: async (request, path) => {
      const caller = await authenticate(request);
      if (!isCaller(caller)) return caller;
      const route = routeOf(path, caller);
      if (route === undefined) return notFound;
      const refused = refuseMethod(request.method ?? "", route.methods);
      if (refused !== undefined) return methodNotAllowed(refused);
      return route.respond(request);
    },
    publish: async (...names) => {
      if (names.length === 0 || !streams.isWatched()) return;
      const sources = config.sources.filter(({ name }) => names.includes(name));
      // Readers see a state that cannot be read now after the next reconciliation.
      for (const state of await overviews(sources).catch(() => [])) streams.publish(state);
    },
    close: () => streams.close(),
  };
}

function isCaller(answer: Caller | HttpResponse): answer is Caller {
  return "role" in answer;
}

function required(state: SourceOverview | undefined): SourceOverview {
  invariant(state !== undefined, "a source has a state");
  return state;
}

/** Returns the route of what is saved about a source. */
function savedPart(part: string, documents: Documents): Route | undefined {
  if (part === "plan") return get(async () => okIfAny(await readRecordedPlan(documents)));
  if (part === "promotions") return get(async () => okIfAny(await savedPromotions(documents)));
  if (part !== "history") return undefined;
  return get(async () => ok({ entries: await readHistory(documents) }));
}

function get(respond: Route["respond"]): Route {
  return { methods: ["GET", "HEAD"], respond };
}

function ok(body: object, status = 200): HttpResponse {
  // Undefined members are left out.
  return { status, body: JSON.stringify(body) };
}

/** Returns what is saved; without a body if nothing is. */
function okIfAny(saved: object | undefined): HttpResponse {
  return saved === undefined ? { status: 204, body: "" } : ok(saved);
}

function isStageAction(action: Action): action is StageAction["action"] {
  return (stageActions as readonly string[]).includes(action);
}

/** Returns an action on a stage. The body is validated. */
function stageAction(
  action: StageAction["action"],
  { name, email, login }: Caller,
  { pipeline = "", stage: stageName = "", version, reason }: ActionInput,
): StageAction {
  return { action, pipeline, stage: stageName, version, reason, by: email ?? name, login };
}

/** What a pipeline or its server refuses has the status 409: the token is not refused. */
function refuseStage(error: unknown): never {
  if (!isFailure(error) || error.code === "internal") throw error;
  if (["usage", "not_found", "unavailable"].includes(error.code)) throw error;
  const { message, remedy } = error;
  throw new Failure("refused", message, { cause: error, ...(remedy !== undefined && { remedy }) });
}

async function readInput<T extends TSchema>(
  request: IncomingMessage,
  schema: T,
): Promise<Static<T>> {
  const body = await bodyOf(request, limits.controllerRequestBytes);
  if (body === undefined) throw new Failure("too_large", "the body is too large");
  const value = parse(body.length === 0 ? "{}" : body.toString("utf8"));
  const [problem] = validator(schema)(value);
  if (problem === undefined) return value as Static<T>;
  const where = problem.path === "" ? "the body" : problem.path.slice(1);
  throw new Failure("usage", `${where} ${problem.message}`);
}

function parse(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    throw new Failure("usage", "the body is not JSON");
  }
}

interface ActionRequest {
  readonly action: Exclude<Action, StageAction["action"]>;
  readonly source: string;
  readonly by: string;
  readonly input: ActionInput;
  readonly now: Date;
}

/** Runs an action, and returns what it adds to the state of the source. A reconciliation is triggered by its event. */
async function run(
  config: ControllerConfig,
  { action, source, by, input, now }: ActionRequest,
): Promise<JsonObject> {
  const { plan: id = "", expires = "", reason } = input;
  const decision = { source, plan: id, by, at: now, ...(reason !== undefined && { reason }) };
  switch (action) {
    case "suspend":
      await suspendSource(config, { source, by, reason: reason ?? "", expires, now });
      return {};
    case "resume":
      await resumeSource(config, { source, now });
      return {};
    case "approve":
      return { ...(await approvePlan(config, decision)) };
    case "reject":
      return { ...(await rejectPlan(config, decision)) };
    case "reconcile":
      await assertReconcilable(config, { source, now });
      return {};
    default:
      return action satisfies never;
  }
}
