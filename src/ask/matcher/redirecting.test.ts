import { expect, test } from "vitest";
import { base, fake, ingress, put, service, slice } from "../../../test/support/sketch.ts";
import { decideOptions } from "../../controller/flags/options.ts";
import { defaultFlags } from "../../controller/flags.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { decide } from "./decide.ts";

test.each([
  ["http://shop.example/", 302, "app-root of Ingress ns/root is /home"],
  ["http://www.shop.example/", 308, "from-to-www-redirect of Ingress ns/twin"],
])("the redirect of %s names the Ingress that sets it", (url, status, why) => {
  const world = put(
    base,
    service("web"),
    slice("web", "192.0.2.1"),
    ingress({ name: "plain", age: 9, host: "shop.example", paths: [["/a", "web"]] }),
    ingress({ name: "root", host: "shop.example", annotations: { "app-root": "/home" } }),
    ingress({
      ...{ name: "twin", host: "shop.example", paths: [["/b", "web"]] },
      annotations: { "from-to-www-redirect": "true" },
    }),
  );
  const { configuration } = translate({ ...emptyInputs, snapshot: world }, defaultOptions, fake);
  const { protocol, hostname, pathname } = new URL(url);
  const asked = { method: "GET", scheme: protocol.slice(0, -1) as "http", host: hostname, target: pathname };
  const { end } = decide(configuration, { ...asked, headers: new Map() }, decideOptions(defaultFlags("serve"))).atHosts;
  expect(end).toMatchObject({ kind: "answer", status, why });
});

test("a path whose Ingress has TLS for its host redirects, although the host's older Ingress has none", () => {
  const world = put(
    base,
    ...[service("web"), slice("web", "192.0.2.1")],
    ingress({ name: "old", namespace: "other", age: 9, host: "shop.example", paths: [["/a", "web"]] }),
    ingress({ name: "new", host: "shop.example", paths: [["/b", "web"]], tls: "pair" }),
  );
  const { configuration } = translate({ ...emptyInputs, snapshot: world }, defaultOptions, fake);
  const statusOf = (target: string) => {
    const asked = { method: "GET", scheme: "http", host: "shop.example", target, headers: new Map() } as const;
    const { end } = decide(configuration, asked, decideOptions(defaultFlags("serve"))).atHosts;
    return end.kind === "answer" ? end.status : end.kind;
  };
  expect([statusOf("/b"), statusOf("/a")]).toEqual([308, 503]);
});
