/**
 * One host in both APIs: whether the Ingress or the route takes a request, and the message for the
 * one that does not.
 */
import { expect, test } from "vitest";
import { sentence } from "../../src/core/model/problem.ts";
import type { Translation } from "../../src/core/table/translator.ts";
import { route } from "../support/gateways.ts";
import { ingress, type PathWords } from "../support/ingress.ts";
import { startBothApis } from "./support/both-apis.ts";
import { request } from "./support/request.ts";
import { steadyTraffic } from "./support/steady-traffic.ts";

interface Words {
  readonly name?: string;
  readonly namespace?: string;
  readonly host?: string;
  /** A larger number is older. */
  readonly age?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

const born = (age: number) => new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString();

function ofIngress(paths: readonly PathWords[], { name = "web", host = "a.test", age = 1, ...more }: Words = {}) {
  return ingress({ name, host, paths, ...more, metadata: { creationTimestamp: born(age) } });
}

type Rule = readonly [path: string, service: string, type?: string, more?: object];

function ofRoute(rules: readonly Rule[], { host = "a.test", annotations, ...more }: Words = {}) {
  const written = rules.map(([value, name, type = "PathPrefix", match = {}]) => ({
    matches: [{ path: { type, value }, ...match }],
    backendRefs: [{ name, port: 80 }],
  }));
  const { metadata, ...rest } = route({ ...more, hostnames: host === "" ? [] : [host], rules: written });
  return { ...rest, metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) } };
}

function sentences({ problems }: Translation): readonly string[] {
  return [...problems.values()].flat().map((one) => `${one.object.kind} ${one.object.name}: ${sentence(one)}`);
}

const header = (name: string) => ({ headers: [{ name, value: "yes" }] });

test("the more exact path of both APIs takes a request, conditions come first, and each loser's message names the winner", async () => {
  const it = await startBothApis(18_960);
  const a = (path: string, headers?: Readonly<Record<string, string>>) => it.ask("a.test", path, headers);
  const exact: PathWords = ["/exact", "s1", "Exact"];
  const main = ofIngress([["/", "s1"], ["/deep/er", "s1"], exact]);

  let translation = await it.serve(
    main,
    ofRoute([
      ["/deep", "s2"],
      ["/exact", "s2"],
      ["/deep/er/still", "s2", "Exact"],
    ]),
  );
  expect(sentences(translation)).toEqual([]);
  expect(await a("/"), "the Ingress").toBe("s1");
  expect(await a("/deep")).toBe("s2");
  expect(await a("/deep/x")).toBe("s2");
  expect(await a("/deeper"), "another path").toBe("s1");
  expect(await a("/deep/er/x"), "a longer prefix").toBe("s1");
  expect(await a("/deep/er/still")).toBe("s2");
  expect(await a("/exact"), "Exact before a prefix").toBe("s1");
  expect(await a("/exact/x")).toBe("s2");

  translation = await it.serve(
    main,
    ofRoute(
      [
        ["/deep/er", "s2"],
        ["/", "s3", "PathPrefix", header("new")],
      ],
      { age: 0 },
    ),
  );
  expect(sentences(translation)).toEqual([
    "Ingress web: spec.rules[0].http.paths[1].path: HTTPRoute ns/route of the same namespace has path /deep/er of host a.test, too; its requests go there",
  ]);
  expect(await a("/deep/er/x"), "of one namespace the route has the path").toBe("s2");
  expect(await a("/x", { new: "yes" })).toBe("s3");
  expect(await a("/x")).toBe("s1");
  expect(await a("/exact", { new: "yes" }), "the path counts before conditions").toBe("s1");

  const younger = ofRoute(
    [
      ["/deep/er", "s2"],
      ["/more", "s2"],
    ],
    { namespace: "other", name: "young", age: 0 },
  );
  translation = await it.serve(main, younger);
  expect(sentences(translation)).toEqual([
    "HTTPRoute young: spec.rules[0].matches[0]: the older Ingress ns/web has path /deep/er of host a.test; this match takes no request of it",
  ]);
  expect(await a("/deep/er/x"), "between namespaces the older object").toBe("s1");
  expect(await a("/more")).toBe("s2");
  const status = translation.statuses.get("HTTPRoute other/young");
  expect(JSON.stringify(status)).toContain(
    "Gateway ns/gw. spec.rules[0].matches[0]: the older Ingress ns/web has path",
  );

  translation = await it.serve(main, ofRoute([["/deep/er", "s2"]], { namespace: "other", name: "old", age: 9 }));
  expect(sentences(translation)).toEqual([
    "Ingress web: spec.rules[0].http.paths[1].path: the older HTTPRoute other/old has path /deep/er of host a.test, too; its requests go there",
  ]);
  expect(await a("/deep/er/x")).toBe("s2");
});

test("the host decides before the path, and a host of an Ingress answers for paths that it does not have", async () => {
  const it = await startBothApis(18_964);
  const objects = [
    ofIngress([["/one", "s1"]], { annotations: { "server-alias": "alias.test,~^p\\d\\.test$" } }),
    ofIngress([["/", "s1"]], { name: "wild", host: "*.w.test" }),
    ofIngress([["/", "s1"]], { name: "www", host: "www.t.test", annotations: { "from-to-www-redirect": "true" } }),
  ];
  await it.serve(
    ...objects,
    ofRoute([["/two", "s2"]], { name: "same" }),
    ofRoute(
      [
        ["/two", "s2"],
        ["/one/x", "s2"],
      ],
      { name: "alias", host: "alias.test" },
    ),
    ofRoute([["/", "s3"]], { name: "all", host: "" }),
    ofRoute([["/", "s4"]], { name: "wild", host: "*.test" }),
    ofRoute([["/own", "s2"]], { name: "twin", host: "t.test" }),
  );
  expect(await it.ask("a.test", "/two")).toBe("s2");
  expect(await it.ask("a.test", "/one/x")).toBe("s1");
  expect(await it.ask("a.test", "/three"), "*.test is less exact than the Ingress's host").toBe("404");
  expect(await it.ask("alias.test", "/two")).toBe("s2");
  expect(await it.ask("alias.test", "/one/x"), "an alias has the paths of its host").toBe("s2");
  expect(await it.ask("alias.test", "/one")).toBe("s1");
  expect(await it.ask("p1.test", "/one"), "patterns come after all names").toBe("s4");
  expect(await it.ask("x.w.test", "/"), "the wildcard of the Ingress is longer").toBe("s1");
  expect(await it.ask("x.x.w.test", "/"), "it takes one label").toBe("s4");
  expect(await it.ask("t.test", "/own")).toBe("s2");
  expect(await it.ask("t.test", "/"), "the rest redirects to www").toBe("308");
  expect(await it.ask("nobody.example", "/")).toBe("s3");
  await it.serve(...objects, ofRoute([["/", "s3"]], { name: "all", host: "" }));
  expect(await it.ask("p1.test", "/one"), "a pattern is more exact than all hosts").toBe("s1");
  await it.serve(ofRoute([["/two", "s2"]]), ofRoute([["/", "s3"]], { name: "all", host: "" }));
  expect(await it.ask("a.test", "/one"), "without an Ingress less exact hosts are asked").toBe("s3");
});

test("paths that are regular expressions rank by their literal beginning", async () => {
  const it = await startBothApis(18_968);
  const a = (path: string) => it.ask("a.test", path);
  const root = ofIngress([["/", "s4"]], { name: "root" });
  const rewriting = ofIngress([["/api(/|$)(.*)", "s1", "ImplementationSpecific"]], {
    annotations: { "rewrite-target": "/$2", "use-regex": "true" },
  });
  let translation = await it.serve(
    root,
    rewriting,
    ofRoute([
      ["/api/v2", "s2"],
      ["/other", "s2"],
      ["/x.*", "s3", "RegularExpression"],
    ]),
  );
  expect(sentences(translation)).toEqual([]);
  expect(await a("/api/x")).toBe("s1");
  expect(await a("/API/x"), "patterns of Ingresses ignore case").toBe("s1");
  expect(await a("/api/v2/x")).toBe("s2");
  expect(await a("/other")).toBe("s2");
  expect(await a("/others")).toBe("s4");
  expect(await a("/xyz"), "a pattern comes before prefixes of its namespace").toBe("s3");
  expect(await a("/XYZ"), "with its case").toBe("s4");
  translation = await it.serve(
    root,
    rewriting,
    ofRoute([
      ["/api", "s2"],
      ["/", "s3", "PathPrefix", header("new")],
    ]),
  );
  expect(sentences(translation)).toEqual([
    "Ingress web: spec.rules[0].http.paths[0].path: HTTPRoute ns/route of the same namespace has path /api(/|$)(.*) of host a.test, too; its requests go there",
  ]);
  expect(await a("/api/x"), "the pattern begins as the prefix does").toBe("s2");
  expect(await it.ask("a.test", "/api/x", { new: "yes" })).toBe("s2");
  expect(await it.ask("a.test", "/y", { new: "yes" })).toBe("s3");
  const same = "/api(/|$)(.*)";
  await it.serve(root, rewriting, ofRoute([[same, "s2", "RegularExpression"]]));
  expect(await a("/api/x"), "one text").toBe("s2");
  await it.serve(root, rewriting, ofRoute([[same, "s2", "RegularExpression"]], { namespace: "other", age: 0 }));
  expect(await a("/api/x"), "of the older one").toBe("s1");
});

test("a path moves to a route by its weight and back, without a failed request and without a reload", async () => {
  const it = await startBothApis(18_972);
  const moving = (weight: string) => ofRoute([["/cart", "s2"]], { annotations: { "sluice.dev/weight": weight } });
  const main = ofIngress([["/", "s1"]]);
  await it.serve(main, moving("0"));
  // This sends some 200 requests a second.
  const traffic = steadyTraffic([{ to: it.to, host: "a.test", path: "/cart" }], 4, 20);
  for (const weight of [0, 5, 50, 100, 50, 0]) {
    expect((await it.serve(main, moving(String(weight)))).reloaded, String(weight)).toBe(false);
    const answers = await Promise.all(Array.from({ length: 400 }, () => it.answer("a.test", "/cart")));
    const taken = answers.filter((answer) => answer === "s2").length;
    expect(answers.filter((answer) => answer === "s1").length + taken).toBe(400);
    const tolerance = weight % 100 === 0 ? 0 : 50;
    expect(Math.abs(taken - 4 * weight), `${taken} of 400 at ${weight} %`).toBeLessThanOrEqual(tolerance);
  }
  expect((await it.serve(main)).reloaded).toBe(false);
  await traffic.end();
  expect([...traffic.answers.keys()]).toEqual(["200"]);
});

test("a weight has an effect where an Ingress has the path, and an unreadable one leaves all requests there", async () => {
  const it = await startBothApis(18_976);
  const weighing = (weight: string, host = "a.test") =>
    ofRoute([["/cart", "s2"]], { host, annotations: { "sluice.dev/weight": weight } });
  const cart = () => it.answer("a.test", "/cart");
  await it.serve(ofIngress([["/shop", "s1"]]), weighing("0"));
  expect(await cart(), "no Ingress has the path").toBe("s2");
  await it.serve(ofIngress([["/", "s1"]], { host: "*.test" }), weighing("0"));
  expect(await cart(), "an Ingress has it by another name").toBe("s1");
  let translation = await it.serve(ofIngress([["/cart", "s1"]]), weighing("25"));
  expect(sentences(translation)).toEqual([
    "Ingress web: spec.rules[0].http.paths[0].path: HTTPRoute ns/route of the same namespace has path /cart of host a.test, too; 25 % of its requests go there",
  ]);
  translation = await it.serve(ofIngress([["/", "s1"]]), weighing("a few"));
  expect(sentences(translation)).toEqual([
    'HTTPRoute route: annotation sluice.dev/weight: "a few" is not a whole number; Ingresses keep all requests for which they have a path',
  ]);
  expect(await cart()).toBe("s1");
});

test("a route in shadow serves nothing, and reports which requests it would take and how answers would differ", async () => {
  const it = await startBothApis(18_980);
  const annotations = { "sluice.dev/shadow": "true" };
  const shadow = (rules: readonly Rule[], more: Words = {}) => ofRoute(rules, { name: "shadow", annotations, ...more });
  const main = [
    ofIngress([["/", "s1"]]),
    ofIngress([["/guarded", "s1"]], { name: "guarded", annotations: { "whitelist-source-range": "127.0.0.0/8" } }),
  ];
  await it.serve(...main);
  const rules: readonly Rule[] = [
    ["/", "s1", "PathPrefix", header("new")],
    ["/cart", "s2"],
    ["/guarded", "s1"],
  ];
  const translation = await it.serve(...main, shadow(rules), ofRoute([["/live", "s3"]], { age: 9 }));
  expect(sentences(translation), "nobody loses a path").toEqual([]);
  const conditions = JSON.stringify(translation.statuses.get("HTTPRoute ns/shadow"));
  expect(conditions).toContain('"type":"Accepted","status":"True"');
  expect(conditions).toContain('"type":"sluice.dev/Shadow","status":"True"');
  expect(await it.shadows()).toEqual([]);
  expect(await it.ask("a.test", "/cart/x?id=secret&b"), "the Ingress").toBe("s1");
  expect(await it.answer("a.test", "/cart/y")).toBe("s1");
  expect(await it.answer("a.test", "/", { new: "yes", authorization: "secret" })).toBe("s1");
  expect(await it.answer("a.test", "/"), "nothing would be otherwise").toBe("s1");
  expect(await it.answer("a.test", "/live"), "a route that serves").toBe("s3");
  expect(await it.answer("a.test", "/guarded")).toBe("s1");
  const found = await it.shadows();
  expect(
    found.map(({ host, shadow: { path }, now, requests, differences }) => {
      return `${host}${path}: ${requests} from ${now.kind} ${now.name}, ${differences}`;
    }),
  ).toEqual([
    "a.test/: 1 from ingress ns/web, same",
    "a.test/cart: 2 from ingress ns/web, backend",
    "a.test/guarded: 1 from ingress ns/guarded, guards",
  ]);
  expect(found[1]?.example, "a part without a name may be a value").toBe("GET http://a.test/cart/x?id=&…");
  expect(JSON.stringify(found)).not.toContain("secret");

  await it.serve(
    ...main,
    shadow([
      ["/live", "s4"],
      ["/live/x", "s4"],
    ]),
    ofRoute([["/live", "s3"]], { age: 9 }),
  );
  expect(await it.answer("a.test", "/live/x")).toBe("s3");
  expect(await it.answer("a.test", "/live"), "the older route keeps the path").toBe("s3");
  expect(
    (await it.shadows()).map(({ shadow: { path }, now, requests }) => [path, now.kind, now.path, requests]),
  ).toEqual([["/live/x", "route", "/live", 1]]);

  const both = { "sluice.dev/shadow": "true", "sluice.dev/weight": "50" };
  expect(sentences(await it.serve(...main, shadow(rules, { annotations: both })))).toEqual([
    "HTTPRoute shadow: annotation sluice.dev/weight: the route is in shadow; it serves nothing, whatever its weight is",
  ]);
  expect(sentences(await it.serve(...main, shadow(rules, { annotations: { "sluice.dev/shadow": "yes?" } })))).toEqual([
    'HTTPRoute shadow: annotation sluice.dev/shadow: "yes?" is neither true nor false; the route is in shadow and serves nothing',
  ]);
  expect(await it.answer("a.test", "/cart")).toBe("s1");
  await it.serve(...main, ofRoute(rules, { name: "shadow" }));
  expect(await it.answer("a.test", "/cart"), "out of the shadow").toBe("s2");
});

test("the health path is answered before routes for all hosts, unless one has exactly that path", async () => {
  const it = await startBothApis(18_960);
  const health = async (host: string) => {
    const { status, body } = await request({ to: it.to, host, path: "/healthz" });
    return body.startsWith("{") ? JSON.parse(body).backend : status;
  };
  const all = ofRoute([["/", "s1"]], { host: "" });
  const named = ofRoute([["/", "s2"]], { name: "named" });
  await it.serve(all, named);
  expect([await health("10.0.0.1"), await it.ask("10.0.0.1", "/")]).toEqual([200, "s1"]);
  expect(await health("a.test"), "a host that a route names").toBe(2);
  await it.serve(ofRoute([["/api", "s2"]], { name: "named" }));
  expect(await health("10.0.0.1")).toBe(200);
  expect(await health("a.test"), "a path that no rule of a named host has").toBe(404);
  await it.serve(
    ofRoute(
      [
        ["/", "s1"],
        ["/healthz", "s3", "Exact"],
      ],
      { host: "" },
    ),
    named,
  );
  expect(await health("10.0.0.1")).toBe(3);
});
