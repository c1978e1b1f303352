// Limits the processor time of processes with Linux's control groups, of version 1 or 2.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const periodMicroseconds = 100_000;

/** Groups for processes, all with the same quota. */
export interface CpuQuotas {
  /** Moves a process, with all its threads, into a group of its own. */
  limit(pid: number): void;
  /** Removes the groups, once their processes have ended. */
  remove(): void;
}

/** Returns groups whose processes get `cores` of a core each; undefined where this process may not create such groups. */
export function createCpuQuotas(cores: number): CpuQuotas | undefined {
  const version = findVersion();
  if (version === undefined) return undefined;
  const groups: string[] = [];
  const create = (): string => {
    const group = join(version.root, `svc-bench-${process.pid}-${groups.length}`);
    mkdirSync(group);
    groups.push(group);
    version.setQuota(group, Math.round(cores * periodMicroseconds));
    return group;
  };
  const remove = (): void => {
    for (const group of groups.splice(0)) rmdirSync(group);
  };
  try {
    create();
  } catch {
    // No rights, a read-only file system, or a hierarchy whose groups have no quota.
    return undefined;
  } finally {
    remove();
  }
  return { limit: (pid) => writeFileSync(join(create(), "cgroup.procs"), String(pid)), remove };
}

interface Version {
  readonly root: string;
  setQuota(group: string, microseconds: number): void;
}

function findVersion(): Version | undefined {
  // A file that does not exist must fail, not appear.
  const write = (group: string, file: string, text: string): void =>
    writeFileSync(join(group, file), text, { flag: "r+" });
  const versions: readonly (Version & { readonly marker: string })[] = [
    {
      root: "/sys/fs/cgroup/cpu",
      marker: "cpu.cfs_quota_us",
      setQuota: (group, microseconds) => {
        write(group, "cpu.cfs_period_us", String(periodMicroseconds));
        write(group, "cpu.cfs_quota_us", String(microseconds));
      },
    },
    {
      root: "/sys/fs/cgroup",
      marker: "cgroup.controllers",
      setQuota: (group, microseconds) =>
        write(group, "cpu.max", `${microseconds} ${periodMicroseconds}`),
    },
  ];
  return versions.find(({ root, marker }) => existsSync(join(root, marker)));
}
