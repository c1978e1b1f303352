// Carries out the checks of a stage: requests and granted commands, a bounded number at once, each ending as evidence.
import { execFile } from "node:child_process";
import pLimit from "p-limit";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { ask } from "./egress.ts";
import type { Check, Stage } from "./pipeline.ts";
import type { Evidence } from "./record.ts";
import type { StageObject } from "./world.ts";

/** What the caller lets the checks of a pipeline do, whatever the pipeline says. */
export interface CheckGrants {
  /** `https://host`, or `https://*.host` for every host below one; only the former may be private. */
  readonly origins: readonly string[];
  /** Files that are run, by the name that pipelines call them. */
  readonly commands: Readonly<Record<string, string>>;
}

/** What is checked. */
export interface Subject {
  readonly stage: Stage;
  readonly version: string;
  readonly objects: readonly StageObject[];
}

/** What checking needs. */
export interface Checking {
  readonly grants: CheckGrants;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly signal: AbortSignal | undefined;
}

interface Task {
  readonly check: string;
  readonly run: () => Promise<Pick<Evidence, "passed" | "said">>;
}

/** Runs every check of the stage for the objects. Fails with `forbidden` before the first where one was not granted. */
export async function runChecks(subject: Subject, how: Checking): Promise<readonly Evidence[]> {
  const tasks = subject.stage.verifies.flatMap((check) => tasksOf(check, subject, how));
  const slot = pLimit(limits.checksAtOnce);
  return Promise.all(
    tasks.map(({ check, run }) =>
      slot(async (): Promise<Evidence> => {
        const { passed, said } = await run();
        return { check, passed, said, at: how.now().toISOString() };
      }),
    ),
  );
}

function tasksOf(check: Check, subject: Subject, how: Checking): readonly Task[] {
  if (check.of === "command") return [commandTask(check.name, subject, how)];
  const urls = new Set(subject.objects.map((one) => urlFor(check.url, one)));
  return [...urls].map((url) => ({
    check: `GET ${withoutQuery(url)}`,
    run: () => asked(url, check, how),
  }));
}

/** Origin and path: what stands behind may be a key, and what is kept holds none. */
function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return "what is no address";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function urlFor(url: string, { key, url: own = "" }: StageObject): string {
  return url
    .replaceAll("{deployment}", encodeURIComponent(key))
    .replaceAll("{url}", own.replace(/\/$/u, ""));
}

async function asked(
  url: string,
  check: Extract<Check, { of: "http" }>,
  { grants, signal }: Checking,
): Promise<Pick<Evidence, "passed" | "said">> {
  const { timeoutMs, status, contains } = check;
  try {
    const answer = await ask({ url, timeoutMs, origins: grants.origins, signal });
    if (answer.status !== status) {
      return { passed: false, said: `answered ${answer.status}, expected ${status}` };
    }
    if (contains !== undefined && !answer.text.includes(contains)) {
      return { passed: false, said: `answered ${status} without the expected text` };
    }
    return { passed: true, said: `answered ${status}` };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal?.aborted === true) throw new Failure("aborted", "stopped while checking");
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { passed: false, said: isLate ? "no answer in time" : "could not be reached" };
  }
}

function commandTask(name: string, { stage, version, objects }: Subject, how: Checking): Task {
  const file = Object.hasOwn(how.grants.commands, name) ? how.grants.commands[name] : undefined;
  if (file === undefined) {
    throw new Failure("forbidden", `a check runs the command ${name}, which nobody has granted`, {
      remedy: `if you trust the pipeline with it, pass --allow-check ${name}=FILE`,
    });
  }
  // Whatever else is in the environment, keys among it, is not for checks.
  const { PATH, HOME } = how.env;
  const env = {
    PATH,
    HOME,
    PROMOTION_STAGE: stage.name,
    PROMOTION_VERSION: version,
    PROMOTION_DEPLOYMENTS: objects.map(({ key }) => key).join(","),
  };
  const options = {
    env,
    timeout: limits.checkCommandMs,
    maxBuffer: limits.checkBytes,
    killSignal: "SIGKILL",
    signal: how.signal,
  } as const;
  return {
    check: `command ${name}`,
    run: () =>
      new Promise((resolve, reject) => {
        execFile(file, [], options, (error) => {
          if (error === null) return resolve({ passed: true, said: "ended with 0" });
          if (how.signal?.aborted === true)
            return reject(new Failure("aborted", "stopped while checking"));
          // A check that cannot be carried out says nothing of the version.
          if (typeof error.code === "string") return reject(notRun(name, error.code));
          const said =
            typeof error.code === "number"
              ? `ended with ${error.code}`
              : "did not come to its end by itself";
          return resolve({ passed: false, said });
        });
      }),
  };
}

function notRun(name: string, code: string): Failure {
  return new Failure("refused", `the check ${name} could not be carried out: ${code}`, {
    remedy: "mend the file that --allow-check or the grants name for it, and promote again",
  });
}
