/**
 * Tests the matcher of `sluice why` with the recorded cases: its decision about each request must
 * fit the recorded answer. If the outcome cannot be known in advance (a password, an auth
 * service), both outcomes fit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decide } from "../../src/ask/matcher/decide.ts";
import type { Decision } from "../../src/ask/matcher/decision.ts";
import { translateOptions } from "../../src/controller/flags/options.ts";
import { parseFlags } from "../../src/controller/flags/parse.ts";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import { emptySnapshot, tableOf, type WatchedKind, withObjects } from "../../src/core/model/snapshot.ts";
import { Translator } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { unmadeCertificate } from "../../src/tools/folder.ts";
import { type Pki, pkiIn } from "../support/pki.ts";
import { type Case, caseNames, loadCase, loadExpectation } from "./case.ts";
import { decidedDifferences, differencesPage } from "./decided.ts";
import { askedOf, fits, inWords, ofBackend, outcomesOf } from "./decision-fits.ts";
import { FakeApiServer } from "./fake-api-server.ts";
import { clusterObjects, controllerConfigMap, namespace, standardObjects } from "./standard-objects.ts";

const differs = decidedDifferences(differencesPage());
let folder: string;
let pki: Pki;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "decide-"));
  pki = await pkiIn(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the decisions of the matcher fit the answers of all recorded requests", () => {
  const wrong: string[] = [];
  let [certain, led, all] = [0, 0, 0];
  for (const name of caseNames()) {
    const wanted = loadCase(name);
    const answers = loadExpectation(wanted, differs.has(name), "dynamic").requests;
    for (const [at, decision] of decisionsOn(wanted).entries()) {
      if (decision === undefined || wrongAnswers[name] !== undefined) continue;
      all += 1;
      if (!decision.guards.some(({ outcome }) => outcome === "depends")) certain += 1;
      const location = answers[at]!.headers?.location;
      const { end, guards } = decision;
      const isOne = answers[at]!.status !== undefined;
      if (
        isOne &&
        end.kind === "answer" &&
        end.location !== undefined &&
        !guards.some(({ outcome }) => outcome === "depends")
      ) {
        led += 1;
        if (end.location !== location)
          wrong.push(`${name}: ${answers[at]!.request}: leads to ${location}, decided ${end.location} (${end.why})`);
      }
      for (const [status, backend] of outcomesOf(answers[at]!))
        if (!fits(decision, status, backend, ofBackend(wanted.requests[at]!)))
          wrong.push(`${name}: ${answers[at]!.request}: ${status} ${backend}, decided ${inWords(decision)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(all).toBeGreaterThan(1_500);
  expect(certain / all).toBeGreaterThan(0.5);
  expect(led).toBeGreaterThan(150);
});

/** Cases whose answers depend on more than a Configuration, with the reason. */
const wrongAnswers: Readonly<Record<string, string>> = {};

/** Returns a decision for each request; undefined for raw bytes and requests that are not HTTP. */
function decisionsOn({
  namespace: home,
  objects,
  configMap,
  flags: given,
  requests,
  pause,
}: Case): (Decision | undefined)[] {
  const parsed = parseFlags(
    ["--watch-ingress-without-class=true", "--configmap=ingress-nginx/ingress-nginx-controller", ...given],
    "run",
  );
  if (parsed.kind !== "flags") throw new Error(`the flags of a case: ${given}`);
  const translator = new Translator(translateOptions(parsed.flags, "run", undefined), unmadeCertificate);
  const api = new FakeApiServer(new Date("2026-01-01T00:00:00Z"));
  let inputs = { ...emptyInputs, snapshot: emptySnapshot };
  const apply = (some: readonly KubernetesObject[]) => {
    const changes = some.map((object) => {
      const stored = api.apply(object);
      if (object.kind === "Ingress") api.passTime(pause);
      return { kind: stored.kind as WatchedKind, key: keyOf(stored), object: stored };
    });
    inputs = {
      ...inputs,
      snapshot: withObjects(
        inputs.snapshot,
        changes.filter(({ kind }) => kind in tableOf),
      ),
    };
    const turned = translator.turn(inputs);
    inputs = { ...inputs, lastGood: turned.lastGood };
    return turned.configuration;
  };
  apply(clusterObjects(pki));
  let served = apply([controllerConfigMap(configMap), namespace(home), ...standardObjects(home, pki), ...objects]);
  const ownPaths = [parsed.flags.healthCheckPath, "/nginx_status"];
  return requests.map(({ configMap: settings, apply: more, ...request }) => {
    api.passTime(2);
    if (settings) served = apply([controllerConfigMap(settings)]);
    if (more) served = apply(more);
    const asked = askedOf(request);
    const { defaultServerPort: builtInPort, httpPort: http, httpsPort: https } = parsed.flags;
    return asked && decide(served, asked, { ownPaths, builtInPort, ports: { http, https } }).atHosts;
  });
}
