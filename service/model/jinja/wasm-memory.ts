// Gives the memory of a WebAssembly module a maximum: its section 5 has one memory, whose limits are a flag, the initial pages
// and, if the flag is 1, the maximum. Numbers are LEB128.

const megabyte = 1024 * 1024;
const headerLength = 8;
const memorySection = 5;

/** Returns a module whose memory cannot exceed `megabytes`. Throws for a module without a memory of its own. */
export function withMaximumMemory(module: Uint8Array, megabytes: number): Uint8Array {
  for (let at = headerLength; at < module.length;) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    if (module[at] === memorySection) {
      const initial = readNumber(module, size.end + 2);
      const limits = [
        1,
        1,
        ...numberOf(initial.value),
        ...numberOf((megabytes * megabyte) / 65_536),
      ];
      const section = [memorySection, ...numberOf(limits.length), ...limits];
      return Buffer.concat([
        module.subarray(0, at),
        Uint8Array.from(section),
        module.subarray(end),
      ]);
    }
    at = end;
  }
  throw new Error("the module has no memory");
}

function readNumber(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
}

function numberOf(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...numberOf(Math.floor(value / 128))];
}
