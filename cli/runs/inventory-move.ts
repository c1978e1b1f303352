// Runs `svc inventory move`: moves the inventory of a stack to the backend that the Stack names.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { Failure } from "../../core/errors.ts";
import type { FailureFacts } from "../../reconciler/report/failure-schema.ts";
import { parseAddress } from "../../core/kind/identity.ts";
import { handOver } from "../../reconciler/verbs/hand-over.ts";
import {
  type MoveOptions,
  type MoveResult,
  type RenameOptions,
  type RenameResult,
  moveInventory,
  renameInventory,
} from "../../reconciler/verbs/inventory-admin.ts";
import type { InventoryBackend } from "../../reconciler/model/index.ts";
import { stackCommand } from "../../reconciler/model/shell-command.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { splitAddresses } from "../shared/lookup/addresses.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportUnconfirmed } from "../shared/run/confirmation.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";
import { changeAddress } from "./inventory-address.ts";

export interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly from: string;
  readonly renamedFrom?: string;
  readonly to?: string;
  readonly formerUrl?: string;
  readonly yes?: true;
}

/** Runs `svc inventory move`. */
export function runInventoryMove(paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, (context) => {
    const connection = () => serverAccess(flags);
    if (flags.to !== undefined) return moveObject(paths, { ...flags, to: flags.to }, context);
    requireNoAddress(paths);
    const options = { ...loadOptions(paths, flags), connection };
    const { renamedFrom, formerUrl } = flags;
    if (formerUrl !== undefined) return changeAddress(paths, { ...flags, formerUrl }, context);
    if (renamedFrom !== undefined) return rename({ ...options, renamedFrom }, flags, context);
    return move({ ...options, ...sourceOf(flags.from) }, context);
  });
}

/** Fails with `usage` if an object is named without the stack that gets it. */
function requireNoAddress(given: readonly string[]): void {
  const { addresses, paths } = splitAddresses(given);
  if (addresses.length === 0) return;
  const command = stackCommand({}, "inventory", "move", ...addresses.slice(0, 1), ...paths);
  throw new Failure("usage", `--to is missing: ${addresses.join(", ")} is not a path`, {
    remedy: `Name the stack that gets the object: ${command} --to STACK`,
  });
}

const places: readonly InventoryBackend[] = ["file", "service", "postgres"];

async function move(options: MoveOptions, { output }: CommandContext): Promise<number> {
  const done = await moveInventory(options);
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  const { ok: _, diagnostics, ...moved } = done;
  reportDiagnostics(output, diagnostics);
  output.result({ text: () => movedText(moved), json: () => commandJson("inventory move", moved) });
  return exitCodes.done;
}

async function moveObject(
  [address, ...paths]: readonly string[],
  flags: Flags & { readonly to: string },
  { output }: CommandContext,
): Promise<number> {
  if (address === undefined || parseAddress(address) === undefined) {
    throw new Failure("usage", "--to needs the address of an object: Kind/name", {
      remedy:
        "Pass it as in `svc inventory move ADDRESS --to STACK`; without --to, the whole inventory moves.",
    });
  }
  const connection = () => serverAccess(flags);
  const done = await handOver({ ...loadOptions(paths, flags), connection, address, to: flags.to });
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  const { from, to: target } = done;
  reportDiagnostics(output, done.diagnostics);
  output.result({
    text: () =>
      `${address} now belongs to stack "${target}", and no longer to stack "${from}".\n` +
      "Move its document too before you apply either stack. Until then neither of them can delete it.",
    json: () => commandJson("inventory move ADDRESS", { address, from, to: target }),
  });
  return exitCodes.done;
}

async function rename(
  options: Omit<RenameOptions, "approve">,
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  let facts: FailureFacts = {};
  const approve: RenameOptions["approve"] = async ({ stack, renamedFrom, objectCount }) => {
    if (flags.yes === true) return true;
    const objects = pluralize(objectCount, "object");
    output.info(
      () => `would rename the inventory of stack ${renamedFrom} (${objects}) to ${stack}`,
    );
    facts = { stack, renamedFrom, objectCount };
    return isInteractive() && confirmInRun("Rename it?", context);
  };
  const done = await renameInventory({ ...options, approve });
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  const { renamed } = done;
  reportDiagnostics(output, done.diagnostics);
  if (renamed !== undefined) {
    output.result({
      text: () => renamedText(renamed),
      json: () => commandJson("inventory move", renamed),
    });
    return exitCodes.done;
  }
  return reportUnconfirmed(context, { facts });
}

/** Parses `--from`: the name of a backend, or else the path of a file. */
function sourceOf(text: string): Pick<MoveOptions, "from" | "file"> {
  const from = places.find((place) => place === text);
  return from === undefined ? { from: "file", file: text } : { from };
}

function movedText({ stack, objectCount, from, to, backupFile }: MoveResult): string {
  const moved = `The inventory of stack ${stack} (${objectCount} objects) was moved from ${from} to ${to}`;
  return backupFile === undefined ? `${moved}.` : `${moved}; its file was kept as ${backupFile}.`;
}

function renamedText({ stack, renamedFrom, objectCount, backupFile }: RenameResult): string {
  const objects = pluralize(objectCount, "object");
  const done = `The inventory of stack ${renamedFrom} (${objects}) now belongs to ${stack}`;
  return backupFile === undefined ? `${done}.` : `${done}; its file was kept as ${backupFile}.`;
}
