// Stops a PostgreSQL server of the tests once the process that started it has ended: that process holds the other end of
// standard input. Arguments: pg_ctl, the data folder, the folder to remove, and optionally the IDs of the user and group to
// stop it as.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

const [control = "", data = "", folder = "", uid, gid] = process.argv.slice(2);
const user = uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };

process.stdin.resume();
process.stdin.once("close", () => {
  const how = ["-D", data, "-w", "-m", "immediate", "stop"];
  spawnSync(control, how, { cwd: folder, stdio: "ignore", ...user });
  rmSync(folder, { recursive: true, force: true });
});
