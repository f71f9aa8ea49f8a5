/**
 * Runs cases one after the other against one controller, each in its own namespace. The ConfigMap
 * is changed only if a case needs it. The objects of a case are removed in the same turn that
 * adds those of the next case, which halves the number of turns.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Pki } from "../support/pki.ts";
import type { Answer } from "./answer.ts";
import type { Case, Expectation, RequestStep, Settings } from "./case.ts";
import { ask } from "./client.ts";
import { FakeApiServer } from "./fake-api-server.ts";
import { clusterObjects, controllerConfigMap, namespace, standardObjects } from "./standard-objects.ts";
import type { Mode, StartSubject, Subject } from "./subject.ts";

/**
 * Seconds between a case and the next, and between two steps of a case, as creation timestamps show
 * them.
 */
const betweenCasesS = 60;
const betweenStepsS = 2;

export interface RunnerOptions {
  readonly mode: Mode;
  readonly flags: readonly string[];
  readonly pki: Pki;
}

export class Runner {
  readonly #subject: Subject;
  readonly #api: FakeApiServer;
  readonly #pki: Pki;
  #settings: Settings = {};

  private constructor(subject: Subject, api: FakeApiServer, { pki }: RunnerOptions) {
    this.#subject = subject;
    this.#api = api;
    this.#pki = pki;
  }

  static async start(startSubject: StartSubject, options: RunnerOptions): Promise<Runner> {
    const { mode, flags, pki } = options;
    const api = new FakeApiServer(new Date("2026-01-01T00:00:00Z"));
    const objects = clusterObjects(pki).map((object) => api.apply(object));
    return new Runner(await startSubject({ mode, flags, objects }), api, options);
  }

  /**
   * Returns the controller's answers to the requests of the case. Rejects only when the controller
   * or the runner itself is broken.
   */
  async run(wanted: Case): Promise<Expectation> {
    this.#api.passTime(betweenCasesS);
    // An unreadable value leaves the last one in force, which must not be that of the case before.
    const sameKeys = Object.keys(wanted.configMap).some((key) => key in this.#settings);
    if (sameKeys && !isDeepStrictEqual(wanted.configMap, this.#settings)) await this.#live([this.#configMap({})]);
    const surroundings = [namespace(wanted.namespace), ...standardObjects(wanted.namespace, this.#pki)];
    const brought = [
      ...(await this.#settingsFor(wanted)),
      ...[...surroundings, ...wanted.objects].map((object) => this.#write(object, wanted.pause)),
    ];
    const rejectedByApiServer = await this.#subject.apply(brought);
    await this.#subject.settled();
    const requests = await this.#answers(wanted.requests);
    const gone = [...surroundings, ...wanted.objects, ...wanted.requests.flatMap(({ apply }) => apply ?? [])];
    await this.#subject.remove(onlyOnce(gone).map((object) => this.#api.remove(object)));
    return { requests, ...(rejectedByApiServer.length > 0 ? { rejectedByApiServer } : {}) };
  }

  stop(): Promise<void> {
    return this.#subject.stop();
  }

  async #answers(steps: readonly RequestStep[]): Promise<readonly Answer[]> {
    const jar = new Map<string, string>();
    const answers: Answer[] = [];
    for (const { configMap, apply, wait, ...request } of steps) {
      this.#api.passTime(betweenStepsS);
      const changed = [
        ...(configMap ? [this.#configMap(configMap)] : []),
        ...(apply ?? []).map((object) => this.#write(object, 0)),
      ];
      if (configMap || apply) await this.#live(changed);
      else if (wait) await delay(1000 * wait);
      answers.push(await ask(request, jar, this.#pki));
    }
    return answers;
  }

  /**
   * In the recording, a `wait` after a change gave the controller time to apply it; here the
   * controller reports when it is live.
   */
  async #live(changed: readonly KubernetesObject[]): Promise<void> {
    await this.#subject.apply(changed);
    await this.#subject.settled();
  }

  /**
   * Returns the ConfigMap of the case, after an empty one, so that a value of the case before
   * cannot become the last good value of this one.
   */
  async #settingsFor({ configMap }: Case): Promise<readonly KubernetesObject[]> {
    if (isDeepStrictEqual(configMap, this.#settings)) return [];
    if (Object.keys(this.#settings).length > 0) await this.#live([this.#configMap({})]);
    return Object.keys(configMap).length > 0 ? [this.#configMap(configMap)] : [];
  }

  #configMap(data: Settings): KubernetesObject {
    this.#settings = data;
    return this.#api.apply(controllerConfigMap(data));
  }

  #write(object: KubernetesObject, pauseS: number): KubernetesObject {
    const stored = this.#api.apply(object);
    if (object.kind === "Ingress") this.#api.passTime(pauseS);
    return stored;
  }
}

function onlyOnce(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const key = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
  return [...new Map(objects.map((object) => [key(object), object])).values()].reverse();
}
