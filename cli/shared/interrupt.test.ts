// Tests for Ctrl-C during calls, at a prompt, and the second time.
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Interrupt, listenForInterrupt } from "./interrupt.ts";

const listening: Interrupt[] = [];

afterEach(() => {
  for (const one of listening.splice(0)) one.dispose();
  vi.restoreAllMocks();
});

function listened(): { readonly interrupt: Interrupt; readonly messages: readonly string[] } {
  const messages: string[] = [];
  const interrupt = listenForInterrupt((message) => messages.push(message));
  listening.push(interrupt);
  return { interrupt, messages };
}

describe("Ctrl-C", () => {
  it("says that it waits for the calls in flight", () => {
    const { interrupt, messages } = listened();
    process.emit("SIGINT");
    expect(messages).toEqual([
      "stopping after the calls in flight; press Ctrl-C again to exit immediately",
    ]);
    expect([interrupt.signal.aborted, interrupt.exitCode()]).toEqual([true, 130]);
  });

  it("only ends the line of a prompt, because no call is in flight", () => {
    const { interrupt, messages } = listened();
    interrupt.setPrompting(true);
    process.emit("SIGINT");
    expect(messages).toEqual(["\n"]);
    expect([interrupt.signal.aborted, interrupt.exitCode()]).toEqual([true, 130]);
  });

  it("reports stopping again after the prompt was answered", () => {
    const { interrupt, messages } = listened();
    interrupt.setPrompting(true);
    interrupt.setPrompting(false);
    process.emit("SIGTERM");
    expect(messages).toEqual([
      "stopping after the calls in flight; send SIGTERM again to exit immediately",
    ]);
    expect(interrupt.exitCode()).toBe(143);
  });

  it("ends the process the second time", () => {
    const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    listened();
    process.emit("SIGINT");
    process.emit("SIGINT");
    expect(exit.mock.calls).toEqual([[130]]);
  });
});
