import { expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { sentence } from "../../problem.ts";
import { defaultOptions } from "../options.ts";
import { translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

type Path = readonly [string, string, string?];

const of = (annotations: Record<string, string>, paths: readonly Path[]) => {
  const one = ingress({ name: "a", host: "a.example", paths, annotations });
  const { problems } = translate({ ...emptyInputs, snapshot: put(base, service("web"), one) }, defaultOptions, fake);
  return [...problems.values()].flat().map(sentence);
};

const login: readonly Path[] = [
  ["/", "web", "Prefix"],
  ["/oauth2", "web", "Prefix"],
];
const advice = "give /oauth2 an Ingress of its own without auth-url";
const asks = `annotation auth-url: it leads to the path /oauth2 of this Ingress, which sends an auth request itself, so that no request passes; ${advice}`;
const signs = `annotation auth-signin: it leads to the path /oauth2 of this Ingress, so clients without a login are redirected there without end; ${advice}`;
const inside = "http://login.auth.svc.cluster.local/check";

test.each([
  ["the host of the request", { "auth-url": "https://$host/oauth2/auth" }, [asks]],
  ["its own host", { "auth-url": "https://A.example/oauth2/auth" }, [asks]],
  ["another host", { "auth-url": "https://b.example/oauth2/auth" }, []],
  ["a path that another Ingress may have", { "auth-url": "https://$host/me" }, []],
  ["a longer word", { "auth-url": "https://$host/oauth2x/auth" }, []],
  [
    "a sign-in page of its own host",
    { "auth-url": inside, "auth-signin": "https://a.example/oauth2/start?rd=$escaped_request_uri" },
    [signs],
  ],
  ["a sign-in page elsewhere", { "auth-url": inside, "auth-signin": "https://login.example/oauth2/start" }, []],
  [
    "a check that an address may replace",
    { "auth-url": "https://$host/oauth2/auth", satisfy: "any", "whitelist-source-range": "192.0.2.0/24" },
    [],
  ],
])("an auth request that leads to %s is judged by the paths that ask for it", (_, annotations, told) => {
  expect(of(annotations as Record<string, string>, login)).toEqual(told);
});

test("paths that are exempt from the check lead nowhere twice", () => {
  const acme = "/.well-known/acme-challenge/login";
  expect(of({ "auth-url": `https://$host${acme}` }, [[acme, "web", "Prefix"]])).toEqual([]);
});
