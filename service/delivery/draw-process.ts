// The process that draws dashboards, away from the server's event loop, memory and environment.
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { limits } from "../../core/limits/limits.ts";
import { drawFile } from "./draw/draw-file.ts";
import type { Picture, PictureFormat } from "./draw/picture-input.ts";

/** A dashboard to draw. */
export interface DrawTask {
  readonly id: number;
  readonly picture: Picture;
  readonly format: PictureFormat;
}

/** The file, or the reason why there is none. */
export type DrawAnswer =
  | { readonly id: number; readonly file: Uint8Array }
  | { readonly id: number; readonly problem: string };

function answer(message: DrawAnswer): void {
  if (process.connected) process.send?.(message);
}

process.on("message", ({ id, picture, format }: DrawTask) => {
  drawFile(picture, format).then(
    (file) => answer({ id, file }),
    (error: unknown) => answer({ id, problem: error instanceof Error ? error.message : "" }),
  );
});

// The server ended.
process.on("disconnect", () => process.exit());

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
try {
  // When memory is short, Linux ends this process instead of the server.
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // The system is not Linux, or does not have this file.
}
setInterval(() => {
  if (process.memoryUsage.rss() > limits.drawMegabytes * 1024 * 1024) process.exit(1);
}, limits.drawMemoryCheckMs).unref();
