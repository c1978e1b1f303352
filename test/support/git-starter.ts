// Makes a process of tests start Git as the service does, from a small process: this one is large.
import { startGitElsewhere } from "../../git/command.ts";

startGitElsewhere(new URL("../../git/starter-process.ts", import.meta.url));
