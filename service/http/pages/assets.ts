// The files of the pages, which the build wrote: names have hashes, so browsers keep them, and each has compressed forms. The
// script of hosts keeps its name, so browsers ask for it again.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { openBuiltAssets } from "../../../files/built-assets.ts";

/** What a page loads. */
export interface PageFiles {
  /** What runs before anything else is loaded. */
  readonly first: string;
  readonly script: string;
  /** The scripts that the script imports at once. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
  /** The font of Latin letters, which nearly every page has. */
  readonly font: string;
  /** The scripts that dashboards with charts load later. */
  readonly later: readonly string[];
}

/** The files of the pages. */
export interface Assets {
  /** What the page of viewers loads; undefined if the pages were not built. */
  readonly viewer: PageFiles | undefined;
  /** Sends a file. Throws `not_found` for a name that no file has. */
  send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply>;
  /** Sends the script with which hosts embed dashboards. Throws `not_found` if the pages were not built. */
  sendEmbedScript(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Finds the files beside the package, or where a checkout of the sources has them. */
export function openAssets(): Assets {
  const places = ["./web/", "../web/", "../../dist/web/"];
  const assets = openBuiltAssets(places.map((place) => new URL(place, import.meta.url)));
  const send = async (
    { headers }: FastifyRequest,
    reply: FastifyReply,
    { path, caching }: { readonly path: string; readonly caching: string },
  ): Promise<FastifyReply> => {
    const asset = await assets?.read(path, headers["accept-encoding"]);
    if (asset === undefined) throw new Failure("not_found", "there is no such file");
    return reply
      .headers(asset.headers)
      .header("cache-control", `public, ${caching}`)
      .header("access-control-allow-origin", "*")
      .send(asset.content);
  };
  return {
    viewer: assets?.manifest["viewer"] as PageFiles | undefined,
    send: (request, reply, name) =>
      send(request, reply, { path: `assets/${name}`, caching: "max-age=31536000, immutable" }),
    sendEmbedScript: (request, reply) =>
      send(request, reply, { path: "svc-embed.js", caching: "max-age=300" }),
  };
}
