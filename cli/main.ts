#!/usr/bin/env node
// `svc`: reads the command line and leaves the rest to the command, which is loaded only when it runs.
import { readFileSync } from "node:fs";
import { runProgram } from "./program.ts";

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

process.exitCode = await runProgram(process.argv.slice(2), version);
