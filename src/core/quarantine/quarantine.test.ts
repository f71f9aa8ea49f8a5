import { expect, test } from "vitest";
import { base, configMap, ingress, put } from "../../../test/support/sketch.ts";
import { emptyLastGood } from "../table/last-good.ts";
import { emptyQuarantine, type Refusal } from "../table/quarantine.ts";
import { QuarantineKeeper } from "./quarantine.ts";

/**
 * Text of the settings is in each location, including that of unknown hosts, which has no owner.
 */
const conf = `http {
    server {
        server_name _;
        location @aaaa {
            bad_setting on;
        }
        location @cccc {
            bad_snippet on;
        }
        location @bbbb {
            bad_setting on;
        }
    }
}`;
const [lineOfA, lineOfB, lineWithoutOwner] = [5, 8, 11];
const owners = new Map([
  [lineOfA, "Ingress ns/a"],
  [lineOfB, "Ingress ns/b"],
]);
const ownersAt = (line: number) => new Set([owners.get(line) ?? []].flat());

/**
 * Returns the objects and settings that are set aside when nginx accepts the rest. nginx refuses
 * the setting, and Ingress b if its snippet is bad.
 */
function setAside({ isBad }: { readonly isBad: boolean }) {
  const own = { settings: "ns/settings", tcp: undefined, udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const live = put(base, configMap("ns/settings", {}));
  const ingresses = ["a", "b"].map((name) => ingress({ name, host: `${name}.example` }));
  const now = put(live, configMap("ns/settings", { "location-snippet": "bad_setting on;" }), ...ingresses);
  const aside = () => keeper.kept.quarantine;
  /** Returns the first line that nginx refuses. */
  const refusedLine = () => {
    const isSet = !aside().settings.has("location-snippet");
    if (isSet && !aside().objects.has("Ingress ns/a")) return lineOfA;
    if (isBad && !aside().objects.has("Ingress ns/b")) return lineOfB;
    return isSet ? lineWithoutOwner : undefined;
  };
  for (let goesOn = true; goesOn; ) {
    const line = refusedLine();
    const stderr = `nginx: [emerg] unknown directive "${line === lineOfB ? "bad_snippet" : "bad_setting"}"`;
    const refused = { stderr, line, names: undefined, mayPass: false, conf, ownersAt };
    goesOn = line === undefined ? keeper.accepted(now, live) : keeper.refused(refused, now, live);
  }
  return { objects: [...aside().objects.keys()], settings: [...aside().settings.keys()] };
}

test("an Ingress is cleared when the same error returns in a location without an owner", () => {
  expect(setAside({ isBad: false })).toEqual({ objects: [], settings: ["location-snippet"] });
});

test("an Ingress is cleared also where nginx refused another line in between", () => {
  expect(setAside({ isBad: true })).toEqual({ objects: ["Ingress ns/b"], settings: ["location-snippet"] });
});

test("a port that clashes with a listener of another program is not blamed on other ports or Ingresses", () => {
  const own = { settings: "ns/settings", tcp: "ns/tcp", udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const now = put(base, configMap("ns/tcp", { "9901": "ns/a:80", "9902": "ns/a:80" }), ingress({ name: "a" }));
  const stderr = 'nginx: [emerg] duplicate "0.0.0.0:9901" address and port pair';
  const refused = { stderr, line: 2, names: undefined, mayPass: false, conf: "stream {\n  listen 9901;\n}", ownersAt };
  const aside = () => keeper.kept.quarantine;
  const isRefused = () => !aside().ports.has("tcp/9901");
  for (let goesOn = true; goesOn; )
    goesOn = isRefused() ? keeper.refused(refused, now, base) : keeper.accepted(now, base);
  expect([...aside().ports.keys(), ...aside().objects.keys()]).toEqual(["tcp/9901"]);
});

test("during a search the objects that are set aside are suspects, and only its result is a refusal", () => {
  const own = { settings: undefined, tcp: undefined, udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const now = put(base, ...["a", "b", "c"].map((name) => ingress({ name, host: `${name}.example` })));
  const aside = () => keeper.kept.quarantine.objects;
  const refused = { stderr: "no", line: undefined, names: undefined, mayPass: false, conf, ownersAt };
  const blamed = new Set<string>();
  for (let goesOn = true; goesOn; ) {
    goesOn = aside().has("Ingress ns/b") ? keeper.accepted(now, base) : keeper.refused(refused, now, base);
    for (const [key, { suspected }] of aside()) if (suspected !== true) blamed.add(key);
  }
  expect([...blamed]).toEqual(["Ingress ns/b"]);
  expect([...aside()]).toEqual([["Ingress ns/b", { version: expect.any(String), why: "no" }]]);
});

test("a search that is interrupted by the end of the program leaves nothing set aside", () => {
  const own = { settings: undefined, tcp: undefined, udp: undefined };
  const refusal = { version: "1", why: "no" };
  const objects = new Map<string, Refusal>([
    ["Ingress ns/guilty", refusal],
    ["Ingress ns/suspect", { ...refusal, suspected: true }],
  ]);
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: { ...emptyQuarantine, objects } });
  expect([...keeper.kept.quarantine.objects.keys()]).toEqual(["Ingress ns/guilty"]);
});

test("a start tries a port again that was refused before, because the program that had it may be gone", () => {
  const own = { settings: undefined, tcp: "ns/tcp", udp: undefined };
  const ports = new Map<string, Refusal>([["tcp/9901", { version: "ns/a:80", why: "in use" }]]);
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: { ...emptyQuarantine, ports } });
  expect(keeper.kept.quarantine.ports.size).toBe(0);
});

test("a key and an Ingress that nginx refuses for different reasons without a line are both found", () => {
  const own = { settings: "ns/settings", tcp: undefined, udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const keys = { "http-snippet": "map $geoip2_country_code $allowed { default no; }", "use-gzip": "true" };
  const ingresses = ["a", "b"].map((name) => ingress({ name, host: `${name}.example` }));
  const now = put(base, configMap("ns/settings", keys), ...ingresses);
  const aside = () => keeper.kept.quarantine;
  // The snippet declares the variable that the Ingress reads.
  const unknown = () => {
    if (!aside().settings.has("http-snippet")) return "geoip2_country_code";
    return aside().objects.has("Ingress ns/a") ? undefined : "allowed";
  };
  let goesOn = true;
  while (goesOn) {
    const stderr = `nginx: [emerg] unknown "${unknown()}" variable`;
    const refused = { stderr, line: undefined, names: undefined, mayPass: false, conf, ownersAt };
    goesOn = unknown() === undefined ? keeper.accepted(now, base) : keeper.refused(refused, now, base);
  }
  expect([[...aside().objects.keys()], [...aside().settings.keys()]]).toEqual([["Ingress ns/a"], ["http-snippet"]]);
});

test("a key and an Ingress that nginx refuses for the same reason without a line are both found", () => {
  const own = { settings: "ns/settings", tcp: undefined, udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const reading = "$geoip2_country_code";
  const keys = { "use-gzip": "true", "log-format-upstream": reading, "allow-snippet-annotations": "true" };
  const ingresses = ["a", "b", "c"].map((name) => ingress({ name, host: `${name}.example` }));
  const now = put(base, configMap("ns/settings", keys), ...ingresses);
  const aside = () => keeper.kept.quarantine;
  const isRefused = () =>
    !aside().settings.has("log-format-upstream") ||
    !(aside().objects.has("Ingress ns/b") || aside().settings.has("allow-snippet-annotations"));
  const stderr = 'nginx: [emerg] unknown "geoip2_country_code" variable';
  const refused = { stderr, line: undefined, names: undefined, mayPass: false, conf, ownersAt };
  for (let goesOn = true; goesOn; )
    goesOn = isRefused() ? keeper.refused(refused, now, base) : keeper.accepted(now, base);
  expect([[...aside().objects.keys()], [...aside().settings.keys()]]).toEqual([
    ["Ingress ns/b"],
    ["log-format-upstream"],
  ]);
});

test("an error that stays without all changed objects and settings sets nothing aside", () => {
  const own = { settings: "ns/settings", tcp: undefined, udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const now = put(base, configMap("ns/settings", { "use-gzip": "true" }), ingress({ name: "a" }));
  const refused = { stderr: "no", line: undefined, names: undefined, mayPass: false, conf, ownersAt };
  let tries = 1;
  while (keeper.refused(refused, now, base)) tries++;
  expect([tries, keeper.kept.quarantine]).toEqual([4, emptyQuarantine]);
});
