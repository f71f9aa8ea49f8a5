/** Reads RequestMirror. Without a backend that can be used, requests are served without copies. */
import type { CopyWay } from "../../model/filters.ts";
import type { FoundBackend, RouteFilter } from "../declare.ts";

export const filter: RouteFilter = {
  type: "RequestMirror",
  field: "requestMirror",
  ofBackends: {
    reference: ({ requestMirror }) => requestMirror!.backendRef,
    done: "it gets no copies of requests",
    read: (found) => ({
      mirrors: found.map(({ filter: { requestMirror }, upstream, isLate, ...one }) => {
        const { percent = 100, fraction } = requestMirror!;
        const share = fraction === undefined ? percent / 100 : fraction.numerator / (fraction.denominator ?? 100);
        const way = wayOf(one);
        return {
          upstream,
          share: Math.min(1, Math.max(0, share)),
          ...(way === undefined ? {} : { way }),
          ...(isLate ? { isLate } : {}),
        };
      }),
    }),
  },
};

function wayOf({ tls, protocol = "http" }: Pick<FoundBackend, "tls" | "protocol">): CopyWay | undefined {
  if (tls === undefined && protocol === "http") return undefined;
  return {
    ...(protocol === "h2c" || protocol === "grpcs" ? { isHttp2: true } : {}),
    ...(tls !== undefined || protocol === "https" || protocol === "grpcs" ? { isSecure: true } : {}),
    ...(tls === undefined ? {} : { tls }),
  };
}
