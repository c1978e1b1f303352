// Prints the CPU time of the process to standard error when it ends.
const { writeSync } = require("node:fs");

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `CPU ${(user + system) / 1000}\n`);
});
