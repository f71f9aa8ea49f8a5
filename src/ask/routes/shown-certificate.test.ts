/** The certificate of a host in the list of routes: of Ingresses, and of listeners. */
import { expect, test } from "vitest";
import type { Certificate } from "../../core/model/configuration.ts";
import type { ListenerPort } from "../../core/model/listeners.ts";
import { Table } from "../../core/model/table.ts";
import { shownCertificate } from "./shown-certificate.ts";

const pair = (id: string, ...names: string[]) =>
  ({ id, names, notAfter: new Date("2027-01-01"), identity: { keyAlgorithm: "rsa" } }) as unknown as Certificate;
const certificates = Table.from([
  ["ns/wide", pair("ns/wide", "*.a.example")],
  ["ns/own", pair("ns/own", "own.a.example")],
]);
const listener = (id: string, ...ids: string[]) => ({ id, certificates: ids });
const port = (tls: boolean, ...listeners: object[]) => ({ tls, listeners }) as unknown as ListenerPort;
const listenerPorts = Table.from([
  ["80", port(false, listener("ns/gw/http"))],
  ["443", port(true, listener("ns/gw/https", "ns/wide", "ns/own"), listener("ns/gw/bare", "ns/gone"))],
]);

const shown = (name: string, of: { listener?: string; certificate?: string }) =>
  shownCertificate({ name, ...of } as unknown as Parameters<typeof shownCertificate>[0], {
    certificates,
    listenerPorts,
  });

test("a host of a listener has the listener's certificate for its name, and never the default one", () => {
  const until = { expires: "2027-01-01T00:00:00.000Z" };
  const https = { listener: "ns/gw/https" };
  expect(shown("own.a.example", https)).toEqual({ certificate: { secret: "ns/own", ...until } });
  expect(shown("other.a.example", https)).toEqual({ certificate: { secret: "ns/wide", ...until } });
  expect(shown("_", { listener: "ns/gw/bare" })).toEqual({ lacking: true });
  expect(shown("_", { listener: "ns/gw/http" })).toEqual({});
});

test("a host of Ingresses has its own certificate, or the default one", () => {
  expect(shown("own.a.example", { certificate: "ns/own" })).toMatchObject({ certificate: { secret: "ns/own" } });
  expect(shown("a.example", {})).toEqual({});
});
