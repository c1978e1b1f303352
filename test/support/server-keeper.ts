// Runs a server of the tests, and ends it once the process that started it has ended: that process holds the other end of
// standard input. Arguments: the folder to remove, the IDs of the user and group or two empty texts, the program, and its
// arguments.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";

const [folder = "", uid = "", gid = "", program = "", ...args] = process.argv.slice(2);
const user = uid === "" ? {} : { uid: Number(uid), gid: Number(gid) };
const server = spawn(program, args, { cwd: folder, stdio: "ignore", ...user });
const ended = once(server, "exit");

process.stdin.resume();
process.stdin.once("close", () => {
  void (async () => {
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  })();
});
