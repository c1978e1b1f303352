// Profiles another process through its inspector.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import type { CpuProfile } from "./cpu-profile.ts";

const samplingMicroseconds = 200;

/** Returns a port that nothing uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The options of Node.js that open the inspector of a process on a port. */
export function inspectFlags(port: number): readonly string[] {
  return [`--inspect=127.0.0.1:${port}`, "--inspect-publish-uid=http"];
}

/** Profiles the process with its inspector on this port while `work` runs. */
export function profileWhile(port: number, work: () => Promise<void>): Promise<CpuProfile> {
  return withInspector(port, async (socket) => {
    await send(socket, "Profiler.enable");
    await send(socket, "Profiler.setSamplingInterval", { interval: samplingMicroseconds });
    await send(socket, "Profiler.start");
    await work();
    const { profile } = (await send(socket, "Profiler.stop")) as { readonly profile: CpuProfile };
    return profile;
  });
}

/** Returns the bytes that the process with its inspector on this port holds after a collection of garbage. */
export function heapAfterCollection(port: number): Promise<number> {
  return withInspector(port, async (socket) => {
    await send(socket, "HeapProfiler.collectGarbage");
    const { usedSize } = (await send(socket, "Runtime.getHeapUsage")) as {
      readonly usedSize: number;
    };
    return usedSize;
  });
}

async function withInspector<Result>(
  port: number,
  work: (socket: WebSocket) => Promise<Result>,
): Promise<Result> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly {
    readonly webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "");
  try {
    await once(socket, "open");
    return await work(socket);
  } finally {
    socket.close();
  }
}

/** Sends one message and returns its result; messages are sent one at a time. */
async function send(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const answered = once(socket, "message") as Promise<[{ readonly data: string }]>;
  socket.send(JSON.stringify({ id: 1, method, params }));
  const [{ data }] = await answered;
  const { result, error } = JSON.parse(data) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
