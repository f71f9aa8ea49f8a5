/**
 * One object on which Sluice fails must not end the controller, nor prevent its start. The test
 * uses very deep objects and, for unknown bugs, objects, Kinds, features and views that throw as
 * soon as they are read.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { features } from "../../../src/core/policies/registry.ts";
import { settings as declared } from "../../../src/core/settings/registry.ts";
import { configMap, ingress, secret, service, settings } from "../support/objects.ts";
import { startWorld, type World } from "../support/world.ts";

interface Hooks {
  resolve(...given: readonly unknown[]): never;
  answerHeaders(...given: readonly unknown[]): readonly never[];
}

const permissive = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
const isBug = /is not applied because Sluice failed on it \(.*\); this is a bug in Sluice, please report it/;

/** Returns `object`, in which the field at `path` throws when it is read. */
function throwing<T extends KubernetesObject>(object: T, path: readonly string[]): T {
  const copy = structuredClone(object);
  const [last, ...way] = path.toReversed();
  const holder = way.reverse().reduce<Record<string, unknown>>((at, step) => at[step] as never, copy as never);
  Object.defineProperty(holder, last!, {
    enumerable: true,
    get: () => {
      throw new RangeError("Maximum call stack size exceeded");
    },
  });
  return copy;
}

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ mode, flags: ["--tcp-services-configmap=ns/tcp"] });
  });
  afterAll(() => world.stop());
  afterEach(async () => {
    vi.restoreAllMocks();
    await world.clear();
  });

  let round = 0;
  /**
   * Expects that other objects are served, that their changes take effect, and that everything can
   * be read again as at a start.
   */
  async function othersGoOn(): Promise<void> {
    round += 1;
    await world.apply(ingress({ name: `later-${round}` }));
    await world.apply(settings({ ...permissive, "keep-alive": String(60 + round) }));
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
    expect(await world.ask(`later-${round}.example`)).toMatchObject({ status: 200 });
  }

  test.each([
    ["configuration-snippet", "a{".repeat(60_000)],
    ["configuration-snippet", `a{${"b{".repeat(49)}`],
    ["server-snippet", "a{".repeat(60_000) + "}".repeat(60_000)],
    ["proxy-redirect-from", "{1,".repeat(7_000)],
    ["proxy-redirect-to", "{1,".repeat(7_000)],
    ["proxy-cookie-path", "{1,".repeat(7_000)],
    ["proxy-cookie-path", `~${"(".repeat(7_000)}${")".repeat(7_000)} /`],
    ["auth-tls-match-cn", `CN=${"(".repeat(60_000)}`],
  ])("%s with the deepest possible nesting is refused with a sentence", async (key, text) => {
    await world.apply(settings(permissive), ingress({ name: "deep", annotations: { [key]: text } }));
    expect(world.problemsOf("deep").join()).toMatch(new RegExp(`annotation ${key}: `));
    expect(world.problemsOf("deep").join()).not.toMatch(isBug);
    await othersGoOn();
  });

  test("a path and a snippet of the ConfigMap with the deepest possible nesting are refused with a sentence", async () => {
    const annotations = { "use-regex": "true" };
    const paths = [[`/${"(".repeat(300)}${")".repeat(300)}`, "ImplementationSpecific"]] as const;
    const snippets = { "http-snippet": "a{".repeat(60_000), "location-snippet": "a{".repeat(60_000) };
    await world.apply(settings({ ...permissive, ...snippets }), ingress({ name: "deep", paths, annotations }));
    expect(world.problemsOf("deep").join()).toContain("its groups are nested deeper than 250; the path is ignored");
    expect(world.problemsOf("ingress-nginx-controller").join()).toContain("blocks are nested deeper than 50");
    await othersGoOn();
  });

  test.each<[string, KubernetesObject, readonly string[]]>([
    ["an Ingress's rules", ingress({ name: "broken" }), ["spec", "rules"]],
    ["an Ingress's spec", ingress({ name: "broken" }), ["spec"]],
    ["an Ingress's annotations", ingress({ name: "broken" }), ["metadata", "annotations"]],
    ["a Service's ports", service("broken", "192.0.2.60", 80)[0]!, ["spec", "ports"]],
    ["an EndpointSlice's endpoints", service("broken", "192.0.2.60", 80)[1]!, ["endpoints"]],
    ["an EndpointSlice's labels", service("broken", "192.0.2.60", 80)[1]!, ["metadata", "labels"]],
    ["a Secret's data", secret("broken", { "tls.crt": "x", "tls.key": "x" }), ["data"]],
    ["the settings", settings({}), ["data"]],
    ["TCP services", configMap("tcp", { 9000: "ns/broken:80" }), ["data"]],
  ])("%s that cannot be read does not affect other objects", async (_, object, path) => {
    const tls = { spec: { tls: [{ hosts: ["user.example"], secretName: "broken" }] } };
    const user = ingress({ name: "user", paths: [["/", "Prefix", "broken"]] });
    const asking = { ...user, spec: { ...user.spec, ...tls.spec } };
    await world.apply(...service("broken", "192.0.2.60", 80), secret("broken", {}), asking);
    await world.apply(throwing(object, path));
    expect(await world.ask("neighbour.example")).toMatchObject({ status: 200 });
    if (object.kind === "ConfigMap" && object.metadata.namespace === "ingress-nginx") return;
    await othersGoOn();
  });

  test("an Ingress on which Sluice fails has a Problem about it, and keeps its last good form", async () => {
    const good = ingress({ name: "broken" });
    await world.apply(good);
    await world.apply(throwing(good, ["spec", "rules"]));
    expect(world.problemsOf("broken").join()).toMatch(isBug);
    expect(await world.ask("broken.example")).toMatchObject({ status: 200 });
    // If its guards are not known, its paths are closed.
    await world.apply(throwing(good, ["metadata", "annotations"]));
    expect(await world.ask("broken.example")).toMatchObject({ status: 503 });
  });

  /** An Ingress without annotations has the feature's defaults, which do not throw. */
  const failsOnRedirects = () => {
    const hooks = features.redirects as unknown as Hooks;
    const { resolve } = hooks;
    vi.spyOn(hooks, "resolve").mockImplementation((fields, context) =>
      (fields as { readonly permanent: string }).permanent === "" ? resolve(fields, context) : bug(),
    );
  };
  const bug = () => {
    throw new TypeError("nobody thought of it");
  };

  test.each([
    ["its Kind", () => vi.spyOn(features.proxyTimeouts.fields.connect.kind, "read").mockImplementation(bug)],
    ["its feature", () => failsOnRedirects()],
  ])("an exception in %s sets only that Ingress aside", async (_, spy) => {
    spy();
    const annotations = { "proxy-connect-timeout": "7", "permanent-redirect": "https://a.example" };
    await world.apply(ingress({ name: "broken", annotations }));
    expect(world.problemsOf("broken").join()).toMatch(isBug);
    await othersGoOn();
  });

  test("an exception during the rendering of a host leaves out only that host", async () => {
    vi.spyOn(features.cors as unknown as Hooks, "answerHeaders").mockImplementation((value) =>
      (value as { readonly enabled: boolean }).enabled ? bug() : [],
    );
    await world.apply(ingress({ name: "broken", annotations: { "enable-cors": "true" } }));
    expect(world.problemsOf("broken").join()).toMatch(isBug);
    await othersGoOn();
    expect(await world.ask("broken.example")).toMatchObject({ status: 404 });
  });

  test("a key of the settings whose Kind throws keeps its default, and all other keys apply", async () => {
    vi.spyOn(declared.keepAliveRequests.kind, "read").mockImplementation(bug);
    await world.apply(settings({ "keep-alive-requests": "9", "server-tokens": "true" }));
    expect(world.problemsOf("ingress-nginx-controller").join()).toContain("which is a bug in Sluice");
    expect((await world.ask("neighbour.example")).headers.server).toMatch(/^nginx/);
  });
});
