// The options of a controller, and the context in which it reconciles a source.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import path from "node:path";
import type { Component } from "../core/kind/component.ts";
import type { Kind } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { shellQuote } from "../core/text/shell-quote.ts";
import { type Checkouts, createCheckouts } from "./checkout.ts";
import {
  type ControllerConfig,
  type GitSource,
  hasApi,
  readsPromotions,
  type Source,
} from "./config.ts";
import type { ControllerEvent } from "./events.ts";
import { createHostQueue } from "../git/host-queue.ts";
import { createParseCache } from "../reconciler/sessions.ts";
import type { ReconciliationContext } from "./reconciliation.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { LiveSources } from "./live-sources.ts";
import { type MaximumAge, openRepository, type Repository } from "./repository.ts";
import type { ReloadRequests } from "./reload-requests.ts";
import type { Rounds } from "./rounds.ts";
import { isPattern, matchingFolders, remoteKey } from "./source-patterns.ts";
import type { Suspension } from "./api-types.ts";
import { documentsOf } from "./state-store.ts";
import { suspensionOf } from "./suspensions.ts";
import type { Tracer } from "./traces.ts";

/** The options of a controller. */
export interface ControllerOptions {
  readonly config: ControllerConfig;
  readonly kinds: readonly Kind[];
  /** Components whose documents declare several objects. Default: none. */
  readonly components?: readonly Component[] | undefined;
  /** Environment for secrets, and for variables that manifests are granted. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reconcile each source once, and stop. */
  readonly once?: boolean | undefined;
  /** Stops the controller after the calls in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Requests to read the configuration again, such as SIGHUP. */
  readonly reloads?: ReloadRequests | undefined;
  /** Called with each event. */
  readonly onEvent?: ((event: ControllerEvent) => void) | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** From 0 to 1; for jitter. */
  readonly random?: (() => number) | undefined;
}

/** A commit that a source has found. */
export interface NewCommit {
  readonly commit: string;
  /** Names the repository and its reference. */
  readonly repository: string;
  /** The names of the other sources of the repository. */
  readonly sources: readonly string[];
}

/** The options of {@link createContexts}. */
export interface ContextOptions extends Pick<
  ControllerOptions,
  "config" | "env" | "kinds" | "components" | "clock"
> {
  /** Absolute path of the folder of checkouts and fetched repositories. Default: the state folder. */
  readonly checkoutFolder?: string | undefined;
  readonly tracer?: Tracer | undefined;
  readonly rounds?: Rounds | undefined;
  /** Called with the names of the sources whose repository has a new commit that another source has found. */
  readonly onNewCommit?: ((found: NewCommit) => void) | undefined;
  /** Called with the folders of a commit that match the path of a pattern. */
  readonly onFolders?: LiveSources["replace"] | undefined;
}

/** Tells how to review and approve a plan: by the API if there is one, whose users may not be on this machine. */
function decisionRemedies(
  config: ControllerConfig,
  { name }: Source,
): Pick<ReconciliationContext, "approveCommand" | "approvalRemedy"> {
  const here = `--config ${shellQuote(config.file)}`;
  const approveCommand = (plan: string): string => `svc controller approve ${name} ${plan} ${here}`;
  return {
    approveCommand,
    approvalRemedy: (plan) =>
      hasApi(config)
        ? `Review the plan on the page of the controller or with \`svc controller plan ${name} --url URL\`, then approve it there or with \`svc controller approve ${name} ${plan} --url URL\`.`
        : `Review the plan with \`svc controller plan ${name} ${here}\`, then approve it with \`${approveCommand(plan)}\`.`,
  };
}

/**
 * Returns the context of each source, and removes the repositories that earlier contexts fetched, also those that no source has
 * any more. All share the limits of concurrent operations, the repositories and the parsed files.
 */
export function createContexts(
  options: ContextOptions,
): (source: Source) => Omit<ReconciliationContext, "clock" | "signal" | "since"> {
  const { config, env, kinds, components } = options;
  const reconciliations = createHostQueue(config.concurrency);
  const repositoryOf = repositoriesOf(options);
  const parseCache = createParseCache();
  return (source) => ({
    folder: folderOf(config, source),
    documents: documentsOf(config, source),
    hasReplicas: config.database !== undefined,
    suspension: (now) => suspensionIn(config, source, now),
    checkout:
      source.git && !isPattern(source)
        ? checkoutsOf(source, source.git, { ...options, repositoryOf })
        : undefined,
    expand:
      source.git && isPattern(source)
        ? expansionOf(source, source.git, { ...options, repositoryOf })
        : undefined,
    ...decisionRemedies(config, source),
    env,
    kinds,
    components,
    reconciliations,
    parseCache,
    tracer: options.tracer,
    rounds: options.rounds,
    readsAuthors: hasApi(config),
    readsPromotions: readsPromotions(config),
  });
}

/** Returns the function that checks out a source. It shares the outcomes of its repository until its own next attempt. */
function checkoutsOf(
  source: Source,
  git: GitSource,
  {
    config,
    checkoutFolder,
    repositoryOf,
  }: ContextOptions & { readonly repositoryOf: (git: GitSource) => Repository },
): Checkouts["latest"] {
  const checkouts = createCheckouts(repositoryOf(git), {
    source: source.name,
    folder: path.join(checkoutFolder ?? folderOf(config, source), "checkouts"),
    path: git.path,
    maximumAge: maximumAgeFor(source),
  });
  return (wanted) => checkouts.latest(wanted);
}

/** Returns the function that looks up the folders of a pattern. */
function expansionOf(
  source: Source,
  git: GitSource,
  {
    repositoryOf,
    onFolders,
  }: ContextOptions & { readonly repositoryOf: (git: GitSource) => Repository },
): ReconciliationContext["expand"] {
  const repository = repositoryOf(git);
  return async ({ signal, since, wants }) => {
    const request = { source: source.name, maximumAge: maximumAgeFor(source), signal, since };
    if (!wants(await repository.tip(request))) return undefined;
    return repository.withTip(request, async (fetched) => {
      const folders = await matchingFolders(fetched, git.path);
      return onFolders?.(source, folders);
    });
  };
}

function maximumAgeFor({ intervalMs, retry }: Source): MaximumAge {
  // The first pause after a failure is up to a tenth shorter.
  return { successMs: intervalMs, failureMs: Math.min(intervalMs, retry.firstMs * 0.9) };
}

/** Returns the function that finds the repository of a source: the same for sources that differ in their path only. */
function repositoriesOf({
  config,
  env,
  checkoutFolder = config.state,
  clock = systemClock,
  onNewCommit,
}: ContextOptions): (git: GitSource) => Repository {
  const folder = path.join(checkoutFolder, "repositories");
  rmSync(folder, { recursive: true, force: true });
  const queue = createHostQueue(limits.gitOperations);
  const repositories = new Map<string, Repository>();
  return (git) => {
    const remote = remoteKey(git);
    const id = createHash("sha256").update(remote).digest("hex").slice(0, 16);
    const known = repositories.get(id);
    if (known !== undefined) return known;
    const repository = openRepository(git, {
      folder: path.join(folder, id),
      env,
      queue,
      clock,
      onNewTip: (foundBy, commit) => {
        const sharing = config.sources.filter(
          (source) => source.git !== undefined && remoteKey(source.git) === remote,
        );
        const sources = sharing.map(({ name }) => name).filter((name) => name !== foundBy);
        onNewCommit?.({ commit, repository: id, sources });
      },
    });
    repositories.set(id, repository);
    return repository;
  };
}

/** Returns the state folder of a source. */
export function folderOf({ state }: ControllerConfig, { name }: Pick<Source, "name">): string {
  return path.join(state, "sources", name);
}

/** Returns the suspension of a source that is in force: its own, or that of the pattern that it comes from. */
export async function suspensionIn(
  config: ControllerConfig,
  source: Source,
  now: Date,
): Promise<Suspension | undefined> {
  const own = await suspensionOf(source, documentsOf(config, source), now);
  if (own !== undefined || source.pattern === undefined) return own;
  const pattern = documentsOf(config, { name: source.pattern });
  return suspensionOf({ suspend: undefined }, pattern, now);
}
