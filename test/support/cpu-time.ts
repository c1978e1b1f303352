// The processor time of a step. Unlike elapsed time, it does not depend on what else the machine does.

/** Runs a step and returns the processor time of this process meanwhile, in milliseconds. */
export function cpuMs(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
