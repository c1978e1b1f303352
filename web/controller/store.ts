// The state of the page: who is signed in, the sources, and the one that is shown. Components read it, and call its actions.
import { computed, signal } from "@preact/signals";
import type { JsonObject } from "../../core/json.ts";
import type {
  Health,
  RecordedPlan,
  RecordedPromotions,
  Role,
  SourceHistory,
  SourceList,
  SourceOverview,
} from "../../controller/api-types.ts";
import { announce } from "../ui/announce.ts";
import { ApiFailure, callApi, readEvents, type Session } from "./api.ts";
import { beginSignIn, login, sessionOf, takeAnswer } from "./sign-in.ts";

/** An action of the API. */
export type ActionName =
  | "reconcile"
  | "suspend"
  | "resume"
  | "approve"
  | "reject"
  | "approve-version"
  | "hold-stage"
  | "release-stage";

/** The plan, the pipelines and the history of the source that is shown. */
interface Details {
  readonly name: string;
  readonly plan: RecordedPlan | undefined;
  readonly promotions: RecordedPromotions | undefined;
  readonly history: SourceHistory["entries"];
}

/** The address of the order of the sources. */
export const orderAddress = "#order";
const storageKey = "svc-controller-token";
const retryMs = { first: 1000, most: 30_000 };

/** Undefined while nobody is signed in. */
export const session = signal<Session | undefined>(undefined);
export const list = signal<SourceList | undefined>(undefined);
export const details = signal<Details | undefined>(undefined);
/** Why the page cannot show or do something. */
export const problem = signal<ApiFailure | undefined>(undefined);
/** Whether changes arrive by themselves. */
export const isLive = signal(false);
export const search = signal("");
/** The only health that is listed; undefined for all. */
export const onlyHealth = signal<Health | undefined>(undefined);
/** Name of the source that is shown, from the address. */
export const shownName = signal(nameInAddress());

/** Whether the order of the sources is shown, from the address. */
export const isOrderShown = signal(location.hash === orderAddress);

export const shown = computed(() =>
  list.value?.sources.find(({ name }) => name === shownName.value),
);

/** The sources that match the search and the health, those that need someone first. */
export const listed = computed(() => {
  const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
  const matches = (source: SourceOverview): boolean => {
    const { name, stack, health, from, result = "", commit = "" } = source;
    const text = [name, stack, health, result, commit, from.url, from.path, from.folder]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const sources = (list.value?.sources ?? []).filter(
    (source) =>
      (onlyHealth.value === undefined || source.health === onlyHealth.value) && matches(source),
  );
  return sources.toSorted(
    (one, other) =>
      healths.indexOf(one.health) - healths.indexOf(other.health) ||
      one.name.localeCompare(other.name),
  );
});

/** Those that need someone first. */
export const healths: readonly Health[] = [
  "failing",
  "waiting",
  "changes",
  "suspended",
  "unknown",
  "ok",
];

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, approver: 2 };

/** Returns whether the token has a role. */
export function may(role: Role): boolean {
  const own = list.value?.token.role;
  return own !== undefined && ranks[own] >= ranks[role];
}

/** Continues a sign-in at the server whose answer the address has, or with the token of this tab. */
export function start(): void {
  const answer = login && takeAnswer();
  const kept = readToken();
  onAddress();
  try {
    if (login !== undefined && answer !== undefined) session.value = sessionOf(login, answer);
    else if (kept !== "") session.value = tokenSession(kept);
  } catch (error) {
    fail(error);
  }
  if (session.value !== undefined) void enter(session.value);
}

/** Leaves the page, and signs in at the server. */
export async function signIn(): Promise<void> {
  problem.value = undefined;
  if (login !== undefined) await beginSignIn(login).catch(fail);
}

/** Signs in with a token, which is kept for this tab. */
export async function signInWithToken(value: string): Promise<void> {
  if (await enter(tokenSession(value))) saveToken(value);
}

/** Loads the sources as someone, and follows them. Returns whether the API has accepted it. */
export async function enter(next: Session): Promise<boolean> {
  problem.value = undefined;
  try {
    list.value = await callApi<SourceList>(next, "sources");
  } catch (error) {
    fail(error);
    return false;
  }
  session.value = next;
  void follow(next);
  await loadDetails();
  return true;
}

export function signOut(): void {
  session.value?.end();
  session.value = undefined;
  list.value = undefined;
  details.value = undefined;
}

/** Loads the plan, the pipelines and the history of the source that is shown. */
export async function loadDetails(): Promise<void> {
  const name = shownName.value;
  const used = session.value;
  if (name === undefined || used === undefined || list.value === undefined) return;
  if (details.value?.name !== name) details.value = undefined;
  const path = `sources/${encodeURIComponent(name)}`;
  try {
    const [plan, promotions, history] = await Promise.all([
      callApi<RecordedPlan | undefined>(used, `${path}/plan`),
      callApi<RecordedPromotions | undefined>(used, `${path}/promotions`),
      callApi<SourceHistory>(used, `${path}/history`),
    ]);
    if (shownName.value === name) {
      details.value = { name, plan, promotions, history: history.entries };
    }
  } catch (error) {
    fail(error);
  }
}

/** Acts on a source. Returns whether the API has accepted it. */
export async function act(name: string, action: ActionName, body: JsonObject): Promise<boolean> {
  const used = session.value;
  if (used === undefined) return false;
  problem.value = undefined;
  try {
    const path = `sources/${encodeURIComponent(name)}/${action}`;
    replace(await callApi<SourceOverview>(used, path, body));
  } catch (error) {
    fail(error);
    return false;
  }
  announce(`${name}: ${action} accepted`);
  await loadDetails();
  return true;
}

/** Shows the source that the address names. */
export function onAddress(): void {
  shownName.value = nameInAddress();
  isOrderShown.value = location.hash === orderAddress;
  problem.value = undefined;
  void loadDetails();
}

/** Reads the stream of events until someone else is signed in, and opens it again when it ends. */
async function follow(used: Session): Promise<void> {
  let pause = retryMs.first;
  while (session.value === used) {
    const abort = new AbortController();
    const stop = session.subscribe((value) => {
      if (value !== used) abort.abort();
    });
    try {
      await readEvents(used, {
        onOpen: () => {
          isLive.value = true;
          pause = retryMs.first;
          void refresh(used);
        },
        onMessage: (message) => onChange(message as object as SourceOverview),
        signal: abort.signal,
      });
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) fail(error);
    }
    stop();
    isLive.value = false;
    if (session.value !== used) return;
    await new Promise((resolve) => void setTimeout(resolve, pause));
    pause = Math.min(pause * 2, retryMs.most);
  }
}

/** What the stream tells while the list is read, which may be older; undefined while it is not read. */
let arriving: SourceOverview[] | undefined;

/** Reads what may have changed while no stream was open, or what the stream does not tell. */
async function refresh(used: Session): Promise<void> {
  if (arriving !== undefined) return;
  const arrived: SourceOverview[] = (arriving = []);
  try {
    const next = await callApi<SourceList>(used, "sources").finally(() => (arriving = undefined));
    if (session.value !== used) return;
    list.value = next;
    for (const source of arrived) replace(source);
    const names = new Set(next.sources.map(({ name }) => name));
    if (arrived.some(({ name }) => !names.has(name))) void refresh(used);
    await loadDetails();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) fail(error);
  }
}

function onChange(source: SourceOverview): void {
  const used = session.value;
  const before = list.value?.sources.find(({ name }) => name === source.name);
  // A pattern has found it: its place in the order, too, is in the list alone.
  if (before === undefined && used !== undefined) void refresh(used);
  arriving?.push(source);
  replace(source);
  if (before !== undefined && before.health !== source.health) {
    announce(`${source.name}: ${source.health}`);
  }
  if (source.name === shownName.value) void loadDetails();
}

function replace(source: SourceOverview): void {
  if (list.value === undefined) return;
  const sources = list.value.sources.map((one) => (one.name === source.name ? source : one));
  list.value = { ...list.value, sources };
}

function fail(error: unknown): void {
  const failure =
    error instanceof ApiFailure ? error : new ApiFailure(0, "The page has failed. Load it again.");
  if (failure.status === 401) signOut();
  problem.value = failure;
}

function nameInAddress(): string | undefined {
  const [, name] = /^#\/(.+)$/u.exec(location.hash) ?? [];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function tokenSession(value: string): Session {
  return { token: async () => value, end: () => saveToken("") };
}

/** Browsers may refuse to keep anything: then a reload asks for the token again. */
function readToken(): string {
  try {
    return sessionStorage.getItem(storageKey) ?? "";
  } catch {
    return "";
  }
}

function saveToken(value: string): void {
  try {
    if (value === "") sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, value);
  } catch {
    // See readToken.
  }
}
