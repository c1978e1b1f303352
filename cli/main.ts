#!/usr/bin/env node
// Entry point of `svc`. A command's module is loaded only when the command runs.
import { readFileSync } from "node:fs";
import { runProgram } from "./program.ts";
import { ignoreClosedPipes } from "./shared/streams.ts";

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

ignoreClosedPipes();
const args = process.argv.slice(2);
const isAttended = process.stderr.isTTY && process.stdout.isTTY && !process.env["CI"];
const notice = isAttended
  ? (await import("./shared/release-notice.ts")).startReleaseCheck(args, version)
  : undefined;
const exitCode = await runProgram(args, version);
process.exitCode = exitCode;
// A command that a signal ended ends immediately.
if (exitCode < 128) await notice?.print();
