import { beforeAll, expect, test } from "vitest";
import { settingsOf } from "../../../../test/support/reading.ts";
import { ingress } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import type { IngressTLS, Secret } from "../../model/objects.ts";
import { readAnnotations } from "../../policies/read.ts";
import { claimOf } from "../../sources/ingress/claim.ts";
import type { Claim } from "../claim.ts";
import type { World } from "../world.ts";
import { aliasesOf, parentOf, tlsOf } from "./tls.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
let secrets: Record<string, Secret>;
/** The only key pair is valid for ingress.local. */
beforeAll(async () => {
  const { chain, key } = await fakeCertificate(new Date());
  const metadata = { namespace: "ns", name: "pair" };
  const data = { "tls.crt": base64(chain), "tls.key": base64(key.reveal()) };
  secrets = { "ns/pair": { apiVersion: "v1", kind: "Secret", metadata, data } };
});

const world = {
  secret: (key: string) => secrets[key],
  brokenSecret: () => undefined,
  isTlsConfigured: (wildcard: string) => wildcard === "*.covered.example",
} as Pick<World, "secret" | "isTlsConfigured"> as World;

const owner = { oldest: undefined, mayDecide: () => true, why: () => "" };

function claim(...tls: IngressTLS[]): Claim {
  const one = ingress({ name: "a", host: "ingress.local" });
  const nothing = { secret: () => undefined, configMap: () => undefined, service: () => undefined };
  const reading = readAnnotations(one, "nginx.ingress.kubernetes.io", settingsOf(), nothing);
  return claimOf({ ...one, spec: { ...one.spec, tls } }, reading, undefined);
}

test("where there are several TLS entries, only the one that lists the host counts", () => {
  const listed = claim({ secretName: "pair" }, { hosts: ["INGRESS.local"], secretName: "gone" });
  expect(tlsOf("ingress.local", [listed], world, owner)).toMatchObject({
    configured: true,
    certificate: undefined,
    secrets: ["ns/gone"],
    problems: [{ kind: "secret-unusable", field: "spec.tls[1].secretName", secret: "ns/gone" }],
  });
});

test("without an entry for the host the first Certificate that is valid for it counts", () => {
  const unlisted = claim({ hosts: ["x.example"], secretName: "gone" }, {}, { secretName: "pair" });
  expect(tlsOf("ingress.local", [claim(), unlisted], world, owner)).toMatchObject({
    certificate: "ns/pair",
    secrets: ["ns/gone", "ns/pair"],
  });
});

test("a Certificate for other names is not served, and the author of the TLS section gets a Problem", () => {
  const listing = claim({ hosts: ["b.example"], secretName: "pair" });
  expect(tlsOf("b.example", [listing], world, owner)).toMatchObject({
    configured: true,
    certificate: undefined,
    problems: [{ kind: "certificate-misfit", names: "ingress.local" }],
  });
  expect(tlsOf("b.example", [claim({ secretName: "pair" })], world, owner).problems).toEqual([]);
});

test("an alias has TLS by the host's Certificate or by a wildcard above it, or else none", () => {
  const tls = tlsOf("ingress.local", [claim({ secretName: "pair" })], world, owner);
  const names = ["ingress.local", "a.covered.example", "a.example"];
  expect(aliasesOf(names, tls, world, owner.oldest)).toEqual([
    { name: "ingress.local", certificate: "ns/pair", tlsConfigured: true },
    { name: "a.covered.example", certificate: undefined, tlsConfigured: true },
    { name: "a.example", certificate: undefined, tlsConfigured: false },
  ]);
});

test.each([
  ["a.b.example", "*.b.example"],
  ["*.b.example", undefined],
  ["_", undefined],
  ["local", undefined],
])("the wildcard above %s is %s", (name, parent) => {
  expect(parentOf(name)).toBe(parent);
});
