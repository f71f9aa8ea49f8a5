/**
 * Tests named groups in patterns of users: nginx would make variables of them, for all hosts at
 * once, which would replace other variables. A name that an author uses in the replacement of the
 * same pattern still works.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ingress, secret, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";
import { clientAuthority } from "./authority.ts";

const spellings = ["(?<NAME>.*)", "(?P<NAME>.*)", "(?'NAME'.*)"];
/** The variables of Sluice, of its maps and of its own patterns. */
const victims = ["best_http_host", "block_user_agent", "pass_access_scheme", "literal_dollar", "subdomain", "req_id"];
const named = (at: number, start: string) =>
  victims.map((victim, n) => start + spellings[(n + at) % 3]!.replace("NAME", victim));

const namesIn = (text: string) => text.match(/\(\?(?:P?<(?![=!])|')[^)]{0,20}/g) ?? [];

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  const conf = () => readFileSync(join(world.runFolder, "nginx.conf"), "utf8");
  const received = async (host: string, path = "/", headers = {}) => {
    world.backend.forget();
    const { status } = await world.ask(host, path, { headers });
    const asked = world.backend.asked[0];
    return { status, url: asked?.url, host: asked?.headers.find(([name]) => name === "host")?.[1] };
  };

  test("no group name in a user's pattern changes what other hosts send or answer, in any spelling", async () => {
    const own = new Set(namesIn(conf()));
    const paths = named(1, "/p").map((path) => [path, "ImplementationSpecific"] as const);
    await world.apply(
      settings({ "block-user-agents": `~*bad,${named(0, "~*worse")}`, "block-referers": named(1, "~evil").join(",") }),
      secret("ca", { "ca.crt": clientAuthority }),
      ...named(0, "CN=").map((cn, at) =>
        ingress({ name: `cn-${at}`, annotations: { "auth-tls-secret": "ns/ca", "auth-tls-match-cn": cn } }),
      ),
      ingress({ name: "paths", paths, annotations: { "use-regex": "true", "rewrite-target": "/x" } }),
      ingress({ name: "text", paths, annotations: { "server-alias": "~^(?<best_http_host>a+)\\.text$" } }),
      ingress({
        name: "canary",
        host: "neighbour.example",
        annotations: {
          canary: "true",
          "canary-by-header": "X-C",
          "canary-by-header-pattern": "(?<best_http_host>never)",
        },
      }),
    );
    expect(namesIn(conf()).filter((name) => !own.has(name))).toEqual([]);
    expect(await received("neighbour.example")).toEqual({ status: 200, url: "/", host: "neighbour.example" });
    expect(await received("neighbour.example", "/", { "user-agent": "bad" })).toMatchObject({ status: 403 });
    expect(await received("neighbour.example", "/", { "user-agent": "worse" })).toMatchObject({ status: 403 });
    expect(await received("neighbour.example", "/", { referer: "evilx" })).toMatchObject({ status: 403 });
    expect(await received("paths.example", "/pabc")).toMatchObject({ status: 200, url: "/x", host: "paths.example" });
  });

  test("an author's own group names work", async () => {
    const path = "/(?<lang>[a-z]{2})/(x)/(?'rest'.*)";
    await world.apply(
      settings({ "proxy-cookie-path": "~^/in/(?<rest>.*)$ /out/$rest" }),
      ingress({
        name: "own",
        paths: [[path, "ImplementationSpecific"]],
        annotations: { "use-regex": "true", "rewrite-target": "/$rest/of/$lang/$2", "x-forwarded-prefix": "/$lang" },
      }),
      ingress({
        name: "twice",
        paths: [["/(?<one>[a-z])(?P=one)/(?<two>b)\\k<two>", "ImplementationSpecific"]],
        annotations: { "rewrite-target": "/$two" },
      }),
    );
    world.backend.answer = (_request, response) => response.setHeader("Set-Cookie", "a=b; Path=/in/y").end();
    expect(await received("own.example", "/de/x/a/b")).toMatchObject({ status: 200, url: "/a/b/of/de/x" });
    expect(world.backend.asked[0]?.headers).toContainEqual(["x-forwarded-prefix", "/de"]);
    expect((await world.ask("own.example", "/de/x/a")).headers["set-cookie"]).toEqual(["a=b; Path=/out/y"]);
    if (mode === "dynamic") expect(await received("twice.example", "/aa/bb")).toMatchObject({ status: 200, url: "/b" });
    // The steps of a reference to a group have no bound in nginx itself.
    else expect(world.problemsOf("twice").join()).toMatch(/so its steps cannot be bounded/);
    expect(await received("twice.example", "/ab/bb")).toMatchObject({ status: 404 });
  });

  test("a permitted snippet can name the groups of its own path, and no other snippet can", async () => {
    await world.apply(
      settings({ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" }),
      ingress({
        name: "snippet",
        paths: [["/(?<user>[a-z]+)/(?<best_http_host>.*)", "ImplementationSpecific"]],
        annotations: {
          "use-regex": "true",
          "configuration-snippet": 'more_set_headers "X-User: $user"; more_set_headers "X-Host: $best_http_host";',
        },
      }),
    );
    const { headers } = await world.ask("snippet.example", "/alice/evil");
    expect(headers).toMatchObject({ "x-user": "alice", "x-host": "snippet.example" });
    expect(await received("neighbour.example")).toMatchObject({ status: 200, host: "neighbour.example" });
  });

  test("the groups of one value are not those of another, such as a forwarded host's and the path's", async () => {
    await world.apply(
      settings({ "use-forwarded-headers": "true" }),
      ingress({
        name: "numbers",
        paths: [["/a/(.*)", "ImplementationSpecific"]],
        annotations: { "rewrite-target": "/$1", "x-forwarded-prefix": "/p/$1" },
      }),
    );
    world.backend.forget();
    await world.ask("numbers.example", "/a/mine", { headers: { "X-Forwarded-Host": "numbers.example, b" } });
    expect(world.backend.asked[0]?.headers).toContainEqual(["x-forwarded-prefix", "/p/mine"]);
  });

  test.each([
    ["two groups of one name", "/(?<a>x)(?<a>y)", "two groups are named a"],
    ["a name behind a comment", "/(?x)(?<a>x)#(?<b>y)", "it has a comment beside a named group"],
    ["a name where no group can stand", "/(?<a>x)\\c(?<b>y)", "it names a group where no group can stand"],
    ["a name behind a name", "/(?<a>?<b>y)", "a quantifier has nothing to repeat"],
  ])("a path with %s is refused", async (_what, path, why) => {
    const paths = [[path, "ImplementationSpecific"] as const];
    await world.apply(ingress({ name: "refused", paths, annotations: { "use-regex": "true" } }));
    expect(world.problemsOf("refused").join()).toContain(`is not a regular expression: ${why}; the path is ignored`);
    expect(await received("neighbour.example")).toMatchObject({ status: 200, host: "neighbour.example" });
  });
});
