import { expect, test } from "vitest";
import { fake } from "../../../../test/support/sketch.ts";
import type { Certificate } from "../../../core/model/configuration.ts";
import { emptySnapshot } from "../../../core/model/snapshot.ts";
import { Table } from "../../../core/model/table.ts";
import type { Served } from "../source.ts";
import { certificateRows } from "./certificates.ts";

const now = new Date("2026-11-23T12:00:00Z");
const inDays = (days: number) => new Date(now.getTime() + days * 24 * 3_600_000);

const certificate = (id: string, days: number, more: Partial<Certificate> = {}): Certificate => ({
  ...fake,
  id,
  names: [`${id}.example`],
  notBefore: inDays(-1),
  notAfter: inDays(days),
  fingerprint: `print of ${id}`,
  ...more,
});

const all = [
  certificate("shop/old", -1),
  certificate("shop/soon", 9),
  certificate("shop/later", 300, { notBefore: inDays(1) }),
  certificate("shop/weak", 300, { weakness: { why: "its key has 1024 bits" } as Certificate["weakness"] }),
  certificate("shop/good", 300),
];

function rows(enableOcsp: boolean, problems: readonly unknown[] = []) {
  const served = {
    settings: { enableOcsp },
    certificates: Table.from(all.map((one) => [one.id, one])),
    defaultCertificate: { ...fake, notAfter: inDays(300) },
    staples: Table.from([["print of shop/good", "an answer"]]),
    servers: Table.from([
      [
        "a",
        { name: "a.example", certificate: "shop/good", aliases: [{ name: "b.example", certificate: "shop/soon" }] },
      ],
      ["_", { name: "_", certificate: "shop/good", aliases: [], redirectFrom: { name: "www.a.example" } }],
      ["gw c", { listener: "shop/gw/web", name: "c.example", certificate: "shop/old", aliases: [] }],
    ]),
    listenerPorts: Table.from([
      ["443", { listeners: [{ id: "shop/gw/web", certificates: ["shop/good", "shop/weak"] }] }],
    ]),
  } as unknown as Served;
  const found = certificateRows(
    { configuration: () => served, notes: { problems: { all: problems } }, snapshot: () => emptySnapshot } as never,
    now,
  );
  return new Map(found.map((row) => [row.secret, row]));
}

test("a row says whether the certificate is usable, or why it is not", () => {
  const found = rows(false);
  expect(
    [...found.values()].map(({ secret, state, weakness, isDefault }) => [secret, state, weakness, isDefault]),
  ).toEqual(
    expect.arrayContaining([
      ["fake", "ok", "", true],
      ["shop/old", "expired", "", false],
      ["shop/soon", "expires soon", "", false],
      ["shop/later", "not valid yet", "", false],
      ["shop/weak", "weak", "its key has 1024 bits", false],
      ["shop/good", "ok", "", false],
    ]),
  );
  expect(found.size).toBe(6);
});

test("a row names the hosts, aliases and listeners that have the certificate", () => {
  const found = rows(false);
  expect(found.get("shop/good")!.someHosts.toSorted()).toEqual(["*", "a.example", "listener shop/gw/web"]);
  expect(found.get("shop/soon")).toMatchObject({ hosts: 1, someHosts: ["b.example"] });
  expect(found.get("shop/old")).toMatchObject({ hosts: 0, someHosts: [] });
});

test("a row says whether an OCSP answer is stapled", () => {
  const stapling = (enabled: boolean) => ["shop/good", "shop/soon"].map((id) => rows(enabled).get(id)!.stapling);
  expect(stapling(false)).toEqual(["off", "off"]);
  expect(stapling(true)).toEqual(["stapled", "waits for an answer"]);
});

test("a certificate that does not cover a host that names it has the state wrong name", () => {
  const problem = {
    kind: "certificate-misfit",
    secret: "shop/good",
    host: "other.example",
    names: "shop/good.example",
  };
  expect(rows(false, [{ problem }]).get("shop/good")).toMatchObject({
    state: "wrong name",
    weakness: "it does not cover other.example",
  });
  expect(rows(false).get("shop/good")).toMatchObject({ state: "ok", weakness: "" });
});
