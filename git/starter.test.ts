// Git that another process starts behaves as Git that this one starts.
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { type GitCall, startGit } from "./process.ts";
import { startGitFrom } from "./starter.ts";

const startElsewhere = startGitFrom(new URL("./starter-process.ts", import.meta.url));

const call = (args: readonly string[], more: Partial<GitCall> = {}): GitCall => ({
  args,
  cwd: tmpdir(),
  env: { PATH: process.env["PATH"] ?? "" },
  input: "",
  timeoutMs: 60_000,
  ownSession: true,
  fileBytes: undefined,
  ...more,
});

/** Git that executes a shell command. */
const shell = (command: string): string[] => ["-c", `alias.command=!${command}`, "command"];

describe.each([
  ["in this process", startGit],
  ["from a process of its own", startElsewhere],
])("Git that is started %s", (_, start) => {
  it("gets its input and returns both outputs and its exit status", async () => {
    const input = Buffer.from([0, 1, 255]);
    const { end } = start(call(shell("cat; echo reason >&2; exit 3"), { input }));
    const ended = await end;
    expect(ended).toMatchObject({ code: 3, ended: undefined });
    expect(ended.stdout).toEqual(input);
    expect(ended.stderr.toString()).toBe("reason\n");
  });

  it("ends at its limit of time, and when it is stopped", async () => {
    const late = start(call(shell("sleep 20"), { timeoutMs: 300 }));
    expect(await late.end).toMatchObject({ ended: "late" });
    const stopped = start(call(shell("sleep 20")));
    stopped.stop();
    expect(await stopped.end).toMatchObject({ ended: "stopped" });
  });

  it("may write files up to its limit", async () => {
    const write = shell('head -c 4096 /dev/zero > "$(mktemp)"');
    expect(await start(call(write, { fileBytes: 8192 })).end).toMatchObject({ code: 0 });
    const { end } = start(call(write, { fileBytes: 512 }));
    expect((await end).code).not.toBe(0);
  });

  it.each([
    ["a folder that does not exist", call(["version"], { cwd: "/nonexistent" })],
    ["an argument that no program can have", call(["\0"])],
  ])("could not be started: %s", async (_what, bad) => {
    const end = async () => (await start(bad).end).code;
    expect(await end().catch(() => undefined)).toBeUndefined();
  });
});

it.runIf(process.platform === "linux")("starts again after its process was killed", async () => {
  const killStarter = shell("kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 1");
  // In some of the rounds its end is known before the end of its channel.
  for (let round = 0; round < 10; round++) {
    const [killed, other] = [call(killStarter), call(shell("sleep 1"))].map(startElsewhere);
    expect(await killed?.end).toMatchObject({ ended: "lost" });
    expect(await other?.end).toMatchObject({ ended: "lost" });
    expect(await startElsewhere(call(["version"])).end).toMatchObject({ code: 0 });
  }
});

it.runIf(process.platform === "linux")(
  "finishes what runs when a terminal interrupts",
  async () => {
    const starter = "$(cut -d ' ' -f 4 /proc/$PPID/stat)";
    const { end } = startElsewhere(
      call(shell(`kill -INT ${starter}; kill -TERM ${starter}; sleep 0.2; echo finished`)),
    );
    expect((await end).stdout.toString()).toBe("finished\n");
  },
);
