// Shows the progress of a run: a status line on a terminal, plain lines in a log, JSON lines for
// programs.
import { limits } from "../../core/limits/limits.ts";
import type { ProgressEvent } from "../model/index.ts";
import { actionStyles } from "./actions.ts";
import { jsonLine } from "./json-text.ts";
import type { ProgressRecord } from "./progress-schema.ts";
import { paint } from "./style.ts";
import { escapeInvisible } from "../../core/text/escape-text.ts";

/** Target of progress, such as standard error. */
export interface ProgressOutput {
  write(text: string): unknown;
  /** Current width of a terminal. */
  readonly columns?: number;
}

/** Appearance and clock. */
export interface ProgressOptions {
  readonly color: boolean;
  /** True to count failures in the status instead of naming each. */
  readonly countsFailures?: boolean;
  /** Returns milliseconds (default: the system clock). */
  readonly now?: () => number;
}

/** A progress renderer. */
export interface Progress {
  readonly on: (event: ProgressEvent) => void;
  /** Removes the status line until the next event. */
  readonly clear: () => void;
}

/** Returns to the start of a line of a terminal and empties it. */
export const clearLine = "\r\u001b[2K";
const phases = {
  read: "Reading",
  check: "Checking",
  apply: "Applying",
  verify: "Verifying",
} as const;

type ChangeEvent = Extract<ProgressEvent, { event: "change" }>;

/**
 * Shows a status line: done of total, layer, rate and time left, redrawn a few times a second.
 * Failures stay on screen.
 */
export function terminalProgress(
  out: ProgressOutput,
  { color, countsFailures = false, now = () => performance.now() }: ProgressOptions,
): Progress {
  let phase: keyof typeof phases = "read";
  let failed = 0;
  let since = now();
  let drawnAt = -Infinity;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) out.write(clearLine);
    isDrawn = false;
  };
  const draw = (text: string): void => {
    // A line of the full width would wrap, and cannot be overwritten.
    const fitting = Array.from(text).slice(0, Math.max(1, (out.columns || 80) - 1));
    out.write(`${clearLine}${fitting.join("")}`);
    isDrawn = true;
    drawnAt = now();
  };
  const on = (event: ProgressEvent): void => {
    if (event.event === "plan") return;
    if (event.event === "phase") {
      phase = event.phase;
      since = now();
      draw(`${phases[phase]} …`);
      return;
    }
    if (event.event === "wait") return draw(`${phases[phase]} … ${waiting(event)}`);
    if (event.result === "failed" && countsFailures) failed += 1;
    else if (event.result === "failed") {
      clear();
      out.write(
        `${paint({ color }, "red", `failed to ${actionStyles[event.action].verb}`)} ${escapeInvisible(event.address)}\n`,
      );
      drawnAt = -Infinity;
    }
    const isDue = now() - drawnAt >= limits.progressMs || event.done === event.total;
    if (isDue) draw(`${phases[phase]} ${counts(event, now() - since, failed)}`);
  };
  return { on, clear };
}

/** Formats `12/80, layer 2, 8.0/s, 9 s left`; rate and time only once they are known. */
function counts(event: ChangeEvent, ms: number, failed = 0): string {
  const { perSecond, secondsLeft } = estimate(event, ms);
  const parts = [`${event.done}/${event.total}`];
  if (failed > 0) parts.push(`${failed} failed`);
  parts.push(`layer ${event.layer + 1}`);
  if (perSecond !== undefined)
    parts.push(`${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`);
  if (secondsLeft !== undefined && secondsLeft > 0) parts.push(`${duration(secondsLeft)} left`);
  return parts.join(", ");
}

/** Returns the rate and the time left; undefined if unknown. */
function estimate(
  { done, total }: ChangeEvent,
  ms: number,
): { readonly perSecond?: number; readonly secondsLeft?: number } {
  if (ms <= 0) return {};
  const rate = (done * 1000) / ms;
  return { perSecond: Number(rate.toPrecision(3)), secondsLeft: Math.ceil((total - done) / rate) };
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

type WaitEvent = Extract<ProgressEvent, { event: "wait" }>;

function waiting(event: WaitEvent): string {
  const { seconds, attempt, attempts } = event;
  const then = attempt === undefined ? "" : `; then attempt ${attempt} of ${attempts}`;
  return `waiting ${duration(seconds)}: ${causeOf(event)}${then}`;
}

function causeOf({ serverRequested, status, timedOut }: WaitEvent): string {
  // A server that stops or is overloaded asks for a pause too.
  if (serverRequested && (status === undefined || status === 429))
    return "rate limit of the server";
  if (status !== undefined) return `the server answered ${status}`;
  return timedOut === true ? "no answer in time" : "the server could not be reached";
}

/** Writes a plain line every few seconds, in a long run every minute: position, reason to wait, and the first failures or their number. */
export function lineProgress(
  out: ProgressOutput,
  { now = () => performance.now(), countsFailures = false }: Partial<ProgressOptions> = {},
): Progress {
  let failed = 0;
  const say = (text: string): void => void out.write(`${text}\n`);
  const { on, clear } = throttled(now, {
    eachPhase: false,
    failuresMax: countsFailures ? 0 : limits.progressFailures,
    phase: (event) => say(`${phases[event.phase]} …`),
    change: (event, ms, phase) =>
      say(
        event.result === "failed" && !countsFailures
          ? `failed to ${actionStyles[event.action].verb} ${escapeInvisible(event.address)}`
          : `${phases[phase]} ${counts(event, ms, failed)}`,
      ),
    wait: (event) => say(waiting(event)),
  });
  const count = (event: ProgressEvent): void => {
    if (countsFailures && event.event === "change" && event.result === "failed") failed += 1;
    on(event);
  };
  return { on: count, clear };
}

/** Writes JSON lines of {@link progressSchema}, in a bounded number. */
export function jsonProgress(
  out: ProgressOutput,
  { now = () => performance.now() }: ProgressClock = {},
): Progress {
  const say = (record: ProgressRecord): void => void out.write(jsonLine(record));
  return throttled(now, {
    eachPhase: true,
    failuresMax: limits.progressFailures,
    phase: say,
    change: (event, ms) => say({ ...event, ...estimate(event, ms) }),
    wait: say,
  });
}

type ProgressClock = Pick<ProgressOptions, "now">;

/**
 * Returns the text for each event that is shown; milliseconds count from the start of the phase.
 */
interface ProgressWriter {
  /** Phases are always shown. */
  readonly eachPhase: boolean;
  /** Failures that are shown immediately; others are sampled as any change. */
  readonly failuresMax: number;
  readonly phase: (event: Extract<ProgressEvent, { event: "phase" }>) => void;
  readonly change: (event: ChangeEvent, ms: number, phase: keyof typeof phases) => void;
  readonly wait: (event: WaitEvent) => void;
}

/**
 * Passes phases, the first failures and the last change, and samples other changes and waits, to bound
 * the number of lines.
 */
function throttled(now: () => number, say: ProgressWriter): Progress {
  let phase: keyof typeof phases = "read";
  let since = now();
  let [saidAt, waitedAt] = [since, -Infinity];
  let [failures, isBegun] = [0, false];
  // A line each tenth of the time so far, within limits.
  const pause = (): number =>
    Math.min(limits.progressLineMostMs, Math.max(limits.progressLineMs, (now() - since) / 10));
  const isDue = (reported: number): boolean => now() - reported >= pause();
  const change = (event: ChangeEvent): void => {
    const isFailure = event.result === "failed" && failures < say.failuresMax;
    const isEnd = isBegun && event.done === event.total;
    if (!isFailure && !isEnd && !isDue(saidAt)) return;
    if (isFailure) failures += 1;
    else isBegun = true;
    saidAt = now();
    say.change(event, now() - since, phase);
  };
  const on = (event: ProgressEvent): void => {
    if (event.event === "plan") return;
    if (event.event === "change") return change(event);
    if (event.event === "phase") {
      [phase, since, isBegun] = [event.phase, now(), false];
      if (!say.eachPhase && !isDue(saidAt)) return;
      saidAt = now();
      return say.phase(event);
    }
    // If many calls wait, one of them reports it.
    if (!isDue(waitedAt)) return;
    waitedAt = now();
    say.wait(event);
  };
  return { on, clear: () => undefined };
}
