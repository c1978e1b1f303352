// One of several replicas of a controller, which share its sources and targets of notifications. Each works on those whose
// leases it has, and reads each second what the others have written. A replica that does not renew itself loses its leases.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import type { Secret } from "../core/secret.ts";
import { durationText } from "../core/text/duration.ts";
import type { Database } from "../reconciler/sessions.ts";
import { type Clock, systemClock } from "./clock.ts";
import { openStateDatabase } from "./postgres-store.ts";

const ends = `clock_timestamp() + make_interval(secs => ${limits.controllerLeaseMs / 1000})`;

const join = `insert into svc_controller_replicas (id, work, until) values ($1, $2, ${ends})`;

const renew = `
  update svc_controller_replicas set work = $2, until = ${ends} where id = $1
  returning (select count(*)::integer from svc_controller_leases where replica = $1) as leases`;

/** Ends the leases of those replicas, too. An end that is further away was set before the clock was set back. */
const removeEnded = `
  delete from svc_controller_replicas where until not between clock_timestamp() and ${ends}`;

const leave = "delete from svc_controller_replicas where id = $1";

/** A replica without a configuration has an empty one for a moment. */
const count = `
  select count(*) filter (where work = $1)::integer as replicas,
    count(*) filter (where work not in ($1, ''))::integer as "otherConfiguration"
  from svc_controller_replicas`;

const take = `
  insert into svc_controller_leases (name, replica)
  select name, $1 from unnest($2::text[]) as wanted (name)
  where not exists (select from svc_controller_leases held where held.name = wanted.name)
  order by name limit $3
  on conflict (name) do nothing returning name`;

const release = "delete from svc_controller_leases where replica = $1 and name = any($2)";

/** Every transaction before \`next\` has ended, so that no change is missed; later ones may be read again. */
const changed = `
  select name, revision, pg_snapshot_xmin(pg_current_snapshot()) as next,
    case when name like 'sources/%/last' or name like 'wakes/%' then text end as text
  from svc_controller_documents where revision >= $1::xid8`;

/** A document that someone has written. */
export interface ChangedDocument {
  readonly name: string;
  /** Null for documents that are read where they are needed. */
  readonly text: string | null;
}

/** With whom a replica shares its work. */
export interface Sharing {
  /** Replicas with the same configuration, itself included. */
  readonly replicas: number;
  /** Replicas with another one, with which it shares nothing. */
  readonly otherConfiguration: number;
}

/** What the replica works for. */
export interface Work {
  /** The digest of the configuration, which all that share the work have. */
  readonly digest: string;
  /** Returns the names of all leases, also those of others. */
  wanted(): readonly string[];
  /** Begins to work. */
  begin(name: string): void;
  /** Ends the work, and resolves when it has ended. */
  end(name: string): Promise<void>;
  /** Called with what was written since the last call; at first with all documents. */
  onChanged(
    documents: readonly ChangedDocument[],
    about: { readonly isFirst: boolean; readonly holds: (name: string) => boolean },
  ): Promise<void>;
}

/** The options of {@link openReplica}. */
export interface ReplicaOptions {
  /** Called with the names of the leases that this replica has, after each change of them or of the number of replicas. */
  readonly onShared: (names: readonly string[], sharing: Sharing) => void;
  /** Called when the database stops to answer, and with undefined when it answers again. */
  readonly onFailure: (failure: Failure | undefined) => void;
  /** For the pauses. Default: the system's clock. */
  readonly clock?: Pick<Clock, "monotonicMs" | "wait"> | undefined;
}

/** A running replica. */
export interface Replica {
  holds(name: string): boolean;
  /** Aborts when this replica has lost its leases. */
  lost(): AbortSignal;
  /** Returns why the database cannot be used; undefined if it answered not long ago. */
  failure(): Failure | undefined;
  /** Undefined before it has looked for others. */
  sharing(): Sharing | undefined;
  /** Works until the signal aborts. The leases stay, for the next work. */
  follow(work: Work, until: AbortSignal): Promise<void>;
  /** Gives the leases up. */
  close(): Promise<void>;
}

/** The time from joining the others until leaving them. */
class Membership {
  readonly id = randomUUID();
  readonly lost = new AbortController();
  readonly leases = new Map<string, "working" | "ending" | "ended">();
  #end: NodeJS.Timeout | undefined;

  /** Sets the end, from the begin of the request that renewed it. */
  renew(startedMs: number, onEnd: () => void): void {
    clearTimeout(this.#end);
    this.#end = setTimeout(onEnd, startedMs + limits.controllerLeaseMs - performance.now());
  }

  end(): void {
    clearTimeout(this.#end);
    this.lost.abort();
  }

  named(state: "working" | "ended"): readonly string[] {
    return [...this.leases].filter(([, its]) => its === state).map(([name]) => name);
  }
}

/** Opens the database, and starts a replica. While the database does not answer, it has no leases after a while, and joins again. */
export async function openReplica(address: Secret, options: ReplicaOptions): Promise<Replica> {
  return new RunningReplica(await openStateDatabase(address), options);
}

class RunningReplica implements Replica {
  readonly #database: Database;
  readonly #options: ReplicaOptions;
  readonly #clock: Pick<Clock, "monotonicMs" | "wait">;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #member: Membership | undefined;
  #work: Work | undefined;
  /** Changes by earlier transactions have been read, and those in `seen`. */
  #cursor: string | undefined;
  #seen: ReadonlyMap<string, string> = new Map();
  #hasRead = false;
  #failure: Failure | undefined;
  #answeredMs = performance.now();
  /** The digest of the configuration, and since when it is the same. */
  #configuration = { digest: "", sinceMs: 0 };
  #sharing: Sharing | undefined;

  constructor(database: Database, options: ReplicaOptions) {
    this.#database = database;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ended = this.#run();
  }

  holds(name: string): boolean {
    return this.#member?.leases.has(name) === true;
  }

  lost(): AbortSignal {
    return this.#member?.lost.signal ?? AbortSignal.abort();
  }

  failure(): Failure | undefined {
    const failure = this.#failure ?? lateFailure(performance.now() - this.#answeredMs);
    if (failure !== undefined || this.#hasRead) return failure;
    return new Failure("unavailable", "the state was not read yet");
  }

  sharing(): Sharing | undefined {
    return this.#sharing;
  }

  async follow(work: Work, until: AbortSignal): Promise<void> {
    [this.#work, this.#cursor] = [work, undefined];
    if (!until.aborted) await once(until, "abort");
    this.#work = undefined;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    const member = this.#member;
    if (member !== undefined) await this.#database.query(leave, [member.id]).catch(() => undefined);
    member?.end();
    await this.#database.close();
  }

  async #run(): Promise<void> {
    const { onFailure } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#turn();
        this.#answeredMs = performance.now();
        if (this.#failure !== undefined) onFailure(undefined);
        this.#failure = undefined;
      } catch (error) {
        const isNews = this.#failure === undefined;
        this.#failure = failureOf(error);
        if (isNews) onFailure(this.#failure);
      }
      await this.#clock.wait(limits.controllerPollMs, this.#stop.signal);
    }
  }

  async #turn(): Promise<void> {
    const work = this.#work;
    const { digest = this.#configuration.digest } = work ?? {};
    if (digest !== this.#configuration.digest || this.#member === undefined)
      this.#configuration = { digest, sinceMs: this.#clock.monotonicMs() };
    const member = await this.#stay(digest);
    await this.#database.query(removeEnded);
    if (work === undefined) return;
    await this.#readChanges(work, member);
    if (work === this.#work && member === this.#member) await this.#share(work, member);
  }

  /** Renews the membership, or joins after the last one was lost. */
  async #stay(digest: string): Promise<Membership> {
    const startedMs = performance.now();
    const member = this.#member;
    if (member !== undefined) {
      const values = [member.id, digest];
      const [renewed] = await this.#database.query<{ leases: number }>(renew, values);
      if (renewed?.leases !== member.leases.size) this.#lose();
    }
    const staying = this.#member ?? new Membership();
    if (this.#member === undefined) await this.#database.query(join, [staying.id, digest]);
    this.#member = staying;
    staying.renew(startedMs, () => this.#lose());
    return staying;
  }

  #lose(): void {
    const member = this.#member;
    this.#member = undefined;
    // The database may be another when it answers again, with revisions of its own.
    this.#cursor = undefined;
    member?.end();
    for (const name of member?.leases.keys() ?? []) void this.#work?.end(name);
  }

  async #readChanges(work: Work, member: Membership): Promise<void> {
    const isFirst = this.#cursor === undefined;
    if (isFirst) this.#seen = new Map();
    const rows = await this.#database.query<ChangedDocument & { revision: string; next: string }>(
      changed,
      [this.#cursor ?? "0"],
    );
    const news = rows.filter(({ name, revision }) => this.#seen.get(name) !== revision);
    await work.onChanged(news, { isFirst, holds: (name) => this.holds(name) });
    if (work !== this.#work || member !== this.#member) return;
    this.#hasRead = true;
    this.#seen = new Map(rows.map(({ name, revision }) => [name, revision]));
    this.#cursor = rows[0]?.next ?? this.#cursor ?? "1";
    // What the work before this one has left.
    if (isFirst) for (const name of member.named("working")) work.begin(name);
  }

  /** Takes leases, or gives some up, to have as many as each of the other replicas with the same configuration. */
  async #share(work: Work, member: Membership): Promise<void> {
    const wanted = work.wanted();
    const { leases } = member;
    const { sinceMs } = this.#configuration;
    const ended = member.named("ended");
    if (ended.length > 0) await this.#database.query(release, [member.id, ended]);
    for (const name of ended) leases.delete(name);
    const [counted] = await this.#database.query<Sharing>(count, [work.digest]);
    const sharing = counted ?? { replicas: 1, otherConfiguration: 0 };
    const fair = Math.ceil(wanted.length / Math.max(1, sharing.replicas));
    const working = member.named("working");
    const all = new Set(wanted);
    const staying = new Set(working.filter((name) => all.has(name)).slice(0, fair));
    const leaving = working.filter((name) => !staying.has(name));
    for (const name of leaving) {
      leases.set(name, "ending");
      void work.end(name).then(() => leases.set(name, "ended"));
    }
    const room = fair - leases.size;
    // Others may start at the same time, or get the same configuration soon.
    const isReady = this.#clock.monotonicMs() - sinceMs >= limits.controllerJoinMs;
    const taken =
      isReady && room > 0
        ? await this.#database.query<{ name: string }>(take, [member.id, wanted, room])
        : [];
    if (member !== this.#member) return;
    for (const { name } of taken) {
      leases.set(name, "working");
      work.begin(name);
    }
    const isSame = isDeepStrictEqual(sharing, this.#sharing);
    this.#sharing = sharing;
    if (!isSame || taken.length + leaving.length > 0)
      this.#options.onShared(member.named("working"), sharing);
  }
}

function failureOf(error: unknown): Failure {
  if (isFailure(error)) return error;
  return new Failure("unavailable", `the state cannot be used: ${systemErrorText(error)}`);
}

/** Returns the failure of a turn that has not ended yet. */
function lateFailure(ms: number): Failure | undefined {
  if (ms <= limits.controllerAnswerMs) return undefined;
  const time = durationText(Math.floor(ms / 1000) * 1000);
  return new Failure("unavailable", `the database of the state has not answered for ${time}`);
}
