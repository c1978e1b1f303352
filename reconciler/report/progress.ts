// A run while it goes on: one line that renews itself on a terminal, plain lines in a log, JSON lines for programs.
import { limits } from "../../core/limits.ts";
import type { ProgressEvent } from "../model.ts";
import { paint } from "./style.ts";
import { visible } from "./visible.ts";

/** Where progress goes: a stream, such as standard error. */
export interface ProgressOut {
  write(text: string): unknown;
  /** Columns of a terminal, as of now. */
  readonly columns?: number;
}

/** How the line looks and by which clock it is timed. */
export interface ProgressLook {
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

const wipe = "\r\u001b[2K";
const phases = {
  read: "Reading",
  check: "Checking",
  apply: "Applying",
  verify: "Verifying",
} as const;

type ChangeEvent = Extract<ProgressEvent, { event: "change" }>;

/** The terminal line: done of total, layer, rate and time left, drawn a few times a second. Failures stay on screen. */
export function terminalProgress(
  out: ProgressOut,
  { color, now = Date.now }: ProgressLook,
): Progress {
  let phase: keyof typeof phases = "read";
  let since = now();
  let drawnAt = -Infinity;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) out.write(wipe);
    isDrawn = false;
  };
  const draw = (text: string): void => {
    // A line as wide as the terminal would wrap, and a wrapped line cannot be drawn over.
    const fitting = Array.from(text).slice(0, Math.max(1, (out.columns || 80) - 1));
    out.write(`${wipe}${fitting.join("")}`);
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
        `${paint({ color }, "red", `failed to ${event.action}`)} ${visible(event.address)}\n`,
      );
      drawnAt = -Infinity;
    }
    const isDue = now() - drawnAt >= limits.progressMs || event.done === event.total;
    if (isDue) draw(`${phases[phase]} ${counts(event, now() - since)}`);
  };
  return { on, clear };
}

/** `12/80, layer 2, 8.0 a second, 9 s left`; rate and time only once they can be told. */
function counts({ done, total, layer }: ChangeEvent, ms: number): string {
  const said = [`${done}/${total}`, `layer ${layer + 1}`];
  const rate = ms > 0 ? (done * 1000) / ms : 0;
  if (rate > 0) said.push(`${rate < 100 ? rate.toFixed(1) : Math.round(rate)} a second`);
  if (rate > 0 && done < total) said.push(`${duration((total - done) / rate)} left`);
  return said.join(", ");
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

function waiting({ seconds, asked, attempt, attempts }: WaitEvent): string {
  const why = asked ? "the server asks for it" : "no answer yet";
  return `waiting ${duration(seconds)}: ${why}; then attempt ${attempt} of ${attempts}`;
}

/** A plain line every few seconds, for logs: where it is, what it waits for, and whatever fails. */
export function lineProgress(
  out: ProgressOut,
  { now = Date.now }: Pick<ProgressLook, "now"> = {},
): Progress {
  let phase: keyof typeof phases = "read";
  let since = now();
  let saidAt = now();
  let waitedAt = -Infinity;
  const say = (text: string): void => {
    out.write(`${text}\n`);
    saidAt = now();
  };
  const on = (event: ProgressEvent): void => {
    if (event.event === "phase") [phase, since] = [event.phase, now()];
    else if (event.event === "change" && event.result === "failed")
      return say(`failed to ${event.action} ${visible(event.address)}`);
    // Many calls wait at once, and one of them says so for all.
    const isDue = now() - (event.event === "wait" ? waitedAt : saidAt) >= limits.progressLineMs;
    if (!isDue) return;
    if (event.event === "wait") waitedAt = now();
    if (event.event === "change") say(`${phases[phase]} ${counts(event, now() - since)}`);
    else say(event.event === "wait" ? waiting(event) : `${phases[phase]} …`);
  };
  return { on, clear: () => undefined };
}

/** An event a line, as JSON; there is nothing to take back. */
export function jsonProgress(out: ProgressOut): Progress {
  const on = (event: ProgressEvent): void => {
    const safe = event.event !== "change" ? event : { ...event, address: visible(event.address) };
    out.write(`${JSON.stringify(safe)}\n`);
  };
  return { on, clear: () => undefined };
}
