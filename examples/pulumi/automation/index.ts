// Previews, applies and watches customers through Pulumi's Automation API: `node index.ts preview|up|drift|destroy`.
// Pulumi keeps the state in a folder and encrypts its secrets with a passphrase. Ends with 2 if a preview or the watch
// found changes, and with 64 for wrong usage.
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation/index.js";
import { exitCodeOf } from "./exit-code.ts";

const onOutput = (text: string): void => void process.stdout.write(text);
const print = (text: string): void => void process.stderr.write(`${text}\n`);

const commands: Readonly<Record<string, (stack: Stack) => Promise<number>>> = {
  preview: async (stack) => exitCodeOf((await stack.preview({ onOutput })).changeSummary),
  up: async (stack) => {
    await stack.up({ onOutput });
    return 0;
  },
  // Refreshes first. The program did not change, so a difference means that something changed elsewhere.
  drift: async (stack) =>
    exitCodeOf((await stack.preview({ onOutput, refresh: true })).changeSummary),
  destroy: async (stack) => {
    await stack.destroy({ onOutput });
    return 0;
  },
};

/** The stack `dev`; its state is in `PULUMI_STATE_DIR`, or in `state` beside the program. */
async function selectStack(pulumiCommand: PulumiCommand): Promise<Stack> {
  const { customers, declare } = await import("./program.ts");
  const folder = resolve(process.env["PULUMI_STATE_DIR"] ?? resolve(import.meta.dirname, "state"));
  await mkdir(folder, { recursive: true });
  const projectName = "customers";
  const backend = { url: pathToFileURL(folder).href };
  return LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName, program: async () => declare(customers) },
    {
      pulumiCommand,
      secretsProvider: "passphrase",
      projectSettings: { name: projectName, runtime: "nodejs", backend },
    },
  );
}

/** Returns the exit code. Reports every error on standard error. */
async function main([name = "", ...others]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || others.length > 0) {
    print(`usage: node index.ts ${Object.keys(commands).join("|")}`);
    return 64;
  }
  const { PULUMI_CONFIG_PASSPHRASE, PULUMI_CONFIG_PASSPHRASE_FILE } = process.env;
  if (PULUMI_CONFIG_PASSPHRASE === undefined && PULUMI_CONFIG_PASSPHRASE_FILE === undefined) {
    print("Set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE, for secrets.");
    return 64;
  }
  const found = await PulumiCommand.get().catch((error: unknown) => error);
  if (!(found instanceof PulumiCommand)) {
    print(`pulumi cannot be run: put it on PATH. ${messageOf(found)}`);
    return 1;
  }
  try {
    return await command(await selectStack(found));
  } catch (error) {
    print(messageOf(error));
    return 1;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.exitCode = await main(process.argv.slice(2));
