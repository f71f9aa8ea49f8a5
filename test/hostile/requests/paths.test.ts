/**
 * Paths in disguise. `/admin` is guarded, by an address list or by an auth service, and everything
 * around it is open, once with a rewrite that takes a prefix away. However the path is written, the
 * backend never gets `/admin`.
 */
import { describe, expect, test } from "vitest";
import { ingress } from "../support/objects.ts";
import { exchange, statuses } from "../support/raw.ts";
import { worldOf } from "../support/world.ts";
import { disguises, guards, neighbours } from "./disguises.ts";

/**
 * Reads a target as a careful backend does: it decodes once, resolves dot segments and merges
 * slashes.
 */
function meant(target: string): string {
  const path = target
    .replace(/[?#].*/s, "")
    .replace(/%[0-7][0-9a-f]/gi, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)));
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

const isAdmin = (target: string): boolean => /^\/admin(\/|$)/.test(meant(target));

test("the function that reads paths for this test gives known results", () => {
  expect(["/admin", "//admin/", "/x/..%2fadmin", "/%61dmin", "/./admin?x"].map(isAdmin)).toEqual(Array(5).fill(true));
  expect(["/x", "/admin-x", "/%2561dmin", "/x/..;/admin"].map(isAdmin)).toEqual(Array(4).fill(false));
});

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  const all = Object.entries(guards).flatMap(([guard, guarded]) =>
    Object.entries(neighbours).map(([open, object]) => [guard, open, guarded, object] as const),
  );

  test.each(all)(
    "CVE-2025-66490: the guard %s beside %s holds for every spelling of its path",
    async (_guard, _open, guarded, open) => {
      world.auth.answer = (_request, response) => response.writeHead(401).end();
      await world.apply(guarded(world.auth.origin), open);
      world.backend.forget();
      for (const path of disguises) {
        const text = await exchange(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
        expect.soft(statuses(text), path).toHaveLength(1);
      }
      expect(world.backend.asked.map(({ url }) => url).filter(isAdmin)).toEqual([]);
      expect(world.backend.asked.length, "requests for what is open").toBeGreaterThan(3);
    },
  );

  test("CVE-2026-48020: `..` after a prefix that a rewrite removes leads to no other path", async () => {
    const stripping = ingress({
      ...{ name: "open", host: "a.example", paths: [["/public(/|$)(.*)", "ImplementationSpecific"]] as const },
      annotations: { "rewrite-target": "/$2" },
    });
    await world.apply(guards["a deny list"](), stripping);
    for (const path of disguises) {
      await exchange(
        `GET /public${path.replace(/^http:\/\/[^/]*/, "")} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`,
      );
    }
    for (const path of ["/public/../admin", "/public/..%2fadmin", "/public/%2e%2e/admin", "/public%2f..%2fadmin"]) {
      const text = await exchange(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
      expect.soft(statuses(text), path).toEqual([403]);
    }
  });
});
