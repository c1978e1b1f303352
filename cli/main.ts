#!/usr/bin/env node
// Entry point of `svc`. A command's module is loaded only when the command runs.
import { readFileSync } from "node:fs";
import { runProgram } from "./program.ts";
import { ignoreClosedPipes } from "./shared/streams.ts";

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

ignoreClosedPipes();
process.exitCode = await runProgram(process.argv.slice(2), version);
