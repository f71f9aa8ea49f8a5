import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Secret } from "../core/model/objects.ts";
import { Table } from "../core/model/table.ts";
import type { KeptState } from "../core/quarantine/kept-state.ts";
import { stateFile } from "./state-file.ts";

const web = { metadata: { namespace: "shop", name: "web", uid: "1" }, spec: {} };
const secret = { metadata: { namespace: "shop", name: "tls" }, data: {} } as unknown as Secret;
const refusal = { version: "abc", why: 'unknown directive "x"' };

function pathIn() {
  const folder = mkdtempSync(join(tmpdir(), "sluice-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "state.json");
}

/** Returns a state as plain values. */
function plain({ lastGood, quarantine }: KeptState) {
  const [objects, secrets] = [[...lastGood.objects], [...lastGood.secrets]];
  const refused = [quarantine.objects, quarantine.settings, quarantine.ports].map((refusals) => [...refusals]);
  return { objects, secrets, settings: lastGood.settings, refused };
}

const expected = {
  objects: [["Ingress shop/web", web]],
  secrets: [["shop/tls", secret]],
  settings: { "proxy-body-size": "1m" },
  refused: [[["Ingress shop/web", refusal]], [["proxy-body-size", refusal]], [["tcp/5432", refusal]]],
};

test("a state file from the release in which objects had no kinds is read", () => {
  const path = pathIn();
  const written = {
    ingresses: [web],
    secrets: [secret],
    settings: { "proxy-body-size": "1m" },
    refusedIngresses: [["shop/web", refusal]],
    refusedSettings: [["proxy-body-size", refusal]],
    refusedPorts: [["tcp/5432", refusal]],
  };
  writeFileSync(path, JSON.stringify(written));
  expect(plain(stateFile(path).load())).toEqual(expected);
});

test("a saved state is read again, for objects of every kind", async () => {
  const path = pathIn();
  const route = { apiVersion: "v1", kind: "HTTPRoute", metadata: { namespace: "shop", name: "web" } };
  const state: KeptState = {
    lastGood: {
      objects: Table.from([["HTTPRoute shop/web", route]]),
      secrets: Table.from([["shop/tls", secret]]),
      settings: {},
    },
    quarantine: { objects: new Map([["HTTPRoute shop/web", refusal]]), settings: new Map(), ports: new Map() },
  };
  await stateFile(path).save(state);
  expect(plain(stateFile(path).load())).toEqual(plain(state));
});

test("a file that cannot be read counts as empty", () => {
  const path = pathIn();
  writeFileSync(path, "{");
  expect(plain(stateFile(path).load())).toEqual({ objects: [], secrets: [], settings: {}, refused: [[], [], []] });
});
