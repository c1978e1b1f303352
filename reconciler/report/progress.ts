// A run while it goes on: one line that renews itself on a terminal, plain lines in a log, JSON lines for programs.
import { limits } from "../../core/limits.ts";
import type { ProgressEvent } from "../model/index.ts";
import type { ProgressLine } from "./progress-schema.ts";
import { paint } from "./style.ts";
import { escapeInvisible } from "./escape-text.ts";

/** Where progress goes: a stream, such as standard error. */
export interface ProgressOutput {
  write(text: string): unknown;
  /** Columns of a terminal, as of now. */
  readonly columns?: number;
}

/** How the line looks and by which clock it is timed. */
export interface ProgressOptions {
  readonly color: boolean;
  /** Milliseconds; the system's clock when not given. */
  readonly now?: () => number;
}

/** A renderer of progress. */
export interface Progress {
  readonly on: (event: ProgressEvent) => void;
  /** Takes the line off the terminal; the next event brings it back. */
  readonly clear: () => void;
}

const clearLine = "\r\u001b[2K";
const phases = {
  read: "Reading",
  check: "Checking",
  apply: "Applying",
  verify: "Verifying",
} as const;

type ChangeEvent = Extract<ProgressEvent, { event: "change" }>;

/** The terminal line: done of total, layer, rate and time left, drawn a few times a second. Failures stay on screen. */
export function terminalProgress(
  out: ProgressOutput,
  { color, now = Date.now }: ProgressOptions,
): Progress {
  let phase: keyof typeof phases = "read";
  let since = now();
  let drawnAt = -Infinity;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) out.write(clearLine);
    isDrawn = false;
  };
  const draw = (text: string): void => {
    // A line as wide as the terminal would wrap, and a wrapped line cannot be drawn over.
    const fitting = Array.from(text).slice(0, Math.max(1, (out.columns || 80) - 1));
    out.write(`${clearLine}${fitting.join("")}`);
    isDrawn = true;
    drawnAt = now();
  };
  const on = (event: ProgressEvent): void => {
    if (event.event === "phase") {
      phase = event.phase;
      since = now();
      draw(`${phases[phase]} …`);
      return;
    }
    if (event.event === "wait") return draw(`${phases[phase]} … ${waiting(event)}`);
    if (event.result === "failed") {
      clear();
      out.write(
        `${paint({ color }, "red", `failed to ${event.action}`)} ${escapeInvisible(event.address)}\n`,
      );
      drawnAt = -Infinity;
    }
    const isDue = now() - drawnAt >= limits.progressMs || event.done === event.total;
    if (isDue) draw(`${phases[phase]} ${counts(event, now() - since)}`);
  };
  return { on, clear };
}

/** `12/80, layer 2, 8.0 a second, 9 s left`; rate and time only once they can be told. */
function counts(event: ChangeEvent, ms: number): string {
  const { perSecond, secondsLeft } = estimate(event, ms);
  const said = [`${event.done}/${event.total}`, `layer ${event.layer + 1}`];
  if (perSecond !== undefined)
    said.push(`${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)} a second`);
  if (secondsLeft !== undefined && secondsLeft > 0) said.push(`${duration(secondsLeft)} left`);
  return said.join(", ");
}

/** How fast it goes, and how long it will yet; left out where that cannot be told. */
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

function causeOf({ serverRequested: asked, status, timedOut: late }: WaitEvent): string {
  if (asked) return "the server asks for it";
  if (status !== undefined) return `the server answered ${status}`;
  return late === true ? "no answer in time" : "the server was not reached";
}

/** A plain line every few seconds, for logs: where it is, what it waits for, and the first failures. */
export function lineProgress(
  out: ProgressOutput,
  { now = Date.now }: ProgressClock = {},
): Progress {
  const say = (text: string): void => void out.write(`${text}\n`);
  return throttled(now, {
    eachPhase: false,
    phase: (event) => say(`${phases[event.phase]} …`),
    change: (event, ms, phase) =>
      say(
        event.result === "failed"
          ? `failed to ${event.action} ${escapeInvisible(event.address)}`
          : `${phases[phase]} ${counts(event, ms)}`,
      ),
    wait: (event) => say(waiting(event)),
  });
}

/** JSON lines as {@link progressSchema} has them, as many as a log can do with; there is nothing to take back. */
export function jsonProgress(
  out: ProgressOutput,
  { now = Date.now }: ProgressClock = {},
): Progress {
  const say = (line: ProgressLine): void => void out.write(`${JSON.stringify(line)}\n`);
  return throttled(now, {
    eachPhase: true,
    phase: say,
    change: (event, ms) => {
      const address = escapeInvisible(event.address);
      say({ ...event, address, ...estimate(event, ms) });
    },
    wait: say,
  });
}

type ProgressClock = Pick<ProgressOptions, "now">;

/** What is said of each event that is said anything of; milliseconds count from when its phase began. */
interface ProgressWriter {
  /** Phases are told even where a line went just before. */
  readonly eachPhase: boolean;
  readonly phase: (event: Extract<ProgressEvent, { event: "phase" }>) => void;
  readonly change: (event: ChangeEvent, ms: number, phase: keyof typeof phases) => void;
  readonly wait: (event: WaitEvent) => void;
}

/**
 * Lets through phases, the first failures, the last change where a line went before it, and of the rest of changes and of waits one in a
 * while: what ten thousand objects do is no line for each.
 */
function throttled(now: () => number, say: ProgressWriter): Progress {
  let phase: keyof typeof phases = "read";
  let since = now();
  let [saidAt, waitedAt] = [since, -Infinity];
  let [failures, isBegun] = [0, false];
  const isDue = (at: number): boolean => now() - at >= limits.progressLineMs;
  const change = (event: ChangeEvent): void => {
    const isFailure = event.result === "failed" && failures < limits.progressFailures;
    const isEnd = isBegun && event.done === event.total;
    if (!isFailure && !isEnd && !isDue(saidAt)) return;
    if (isFailure) failures += 1;
    else isBegun = true;
    saidAt = now();
    say.change(event, now() - since, phase);
  };
  const on = (event: ProgressEvent): void => {
    if (event.event === "change") return change(event);
    if (event.event === "phase") {
      [phase, since, isBegun] = [event.phase, now(), false];
      if (!say.eachPhase && !isDue(saidAt)) return;
      saidAt = now();
      return say.phase(event);
    }
    // Many calls wait at once, and one of them says so for all.
    if (!isDue(waitedAt)) return;
    waitedAt = now();
    say.wait(event);
  };
  return { on, clear: () => undefined };
}
