// Flags of V8 that commands set once they run.

/** The flags of a process before a command sets them. */
export const defaultFlags: readonly string[] = [
  "--semi-space-growth-factor=2",
  "--heap-growing-percent=0",
  "--incremental-marking",
  "--wasm-tiering-budget=13000000",
];

/** Sets a flag. Loads the module of Node.js then, which a start does not need. */
export function setFlag(flag: string): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}

/**
 * Bounds the garbage that V8 keeps in addition to the objects in use. Keeps the young generation at the size that it has once the
 * program is loaded: it would grow to 96 MiB, a third of the memory of a plan of 10,000 objects. Collects the old generation
 * when it has grown by half: V8 would let it grow to four times its size, which is half of the memory of a plan of 100,000
 * objects.
 */
export function boundHeapGrowth(): void {
  setFlag("--semi-space-growth-factor=1");
  setFlag("--heap-growing-percent=50");
}

/**
 * Makes V8 collect garbage only where it needs the memory. It would begin soon after the start, while the program runs, which costs
 * a twelfth of the CPU of a command that ends before the memory is needed.
 */
export function collectOnlyWhenNeeded(): void {
  setFlag("--no-incremental-marking");
}

/**
 * The HTTP parser is WebAssembly. A command of a few requests ends before its optimized code would pay for the 90 ms of its
 * compilation; a long run still gets it. Once a flag of V8 is set, Node.js compiles its own modules from their sources, so
 * this happens after most of them are loaded.
 */
export function delayParserOptimization(): void {
  setFlag("--wasm-tiering-budget=130000000");
}
