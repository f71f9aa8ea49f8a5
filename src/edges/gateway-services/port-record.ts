/**
 * The ConfigMap with the record of target ports. It is written before any Service names a new port,
 * and each write names the version that it is based on. So two processes that both act as the
 * leader cannot assign the same port twice.
 */
import { isDeepStrictEqual } from "node:util";
import type { ConfigMap } from "../../core/model/objects.ts";
import { emptyRecord, type PortRecord, readRecord, recordData } from "../../core/sources/gateway/services/record.ts";
import { type Answer, type ApiFailure, type Client, nameOf, versionOf } from "../../kube/index.ts";
import { configMaps } from "../resources.ts";

export type RecordWritten =
  | { readonly kind: "same" | "written" }
  /** Another program has changed it; `record` has its present content. */
  | { readonly kind: "outdated" }
  | { readonly kind: "failed"; readonly failure: ApiFailure };

export class PortRecordFile {
  readonly #client: Pick<Client, "get" | "create" | "update">;
  readonly #key: string;
  #stored: ConfigMap | undefined;
  #record: PortRecord | undefined;

  constructor(client: Pick<Client, "get" | "create" | "update">, key: string) {
    this.#client = client;
    this.#key = key;
  }

  /** The known content; undefined before the first read. */
  get record(): PortRecord | undefined {
    return this.#record;
  }

  /** Whether the ConfigMap from a watch is the last one read or written, or an older one. */
  isKnown(seen: ConfigMap | undefined): boolean {
    if (this.#stored === undefined || seen === undefined) return this.#stored === seen;
    return versionOf(seen) <= versionOf(this.#stored);
  }

  async read(signal: AbortSignal): Promise<ApiFailure | undefined> {
    const answer: Answer<ConfigMap> = await this.#client.get(configMaps, nameOf(this.#key), signal);
    if (!answer.ok && answer.failure.code !== 404) return answer.failure;
    this.#stored = answer.ok ? answer.value : undefined;
    // A deleted record is written again with its known content.
    this.#record = answer.ok ? readRecord(answer.value) : (this.#record ?? emptyRecord);
    return undefined;
  }

  async write(record: PortRecord, signal: AbortSignal): Promise<RecordWritten> {
    const data = recordData(record);
    const stored = this.#stored;
    const isNeeded = stored === undefined ? Object.keys(data).length > 0 : !isDeepStrictEqual(stored.data ?? {}, data);
    if (!isNeeded) {
      this.#record = record;
      return { kind: "same" };
    }
    const answer = await this.#send(data, stored, signal);
    if (answer.ok) {
      this.#stored = answer.value;
      this.#record = record;
      return { kind: "written" };
    }
    if (answer.failure.code !== 409 && answer.failure.code !== 404) return { kind: "failed", failure: answer.failure };
    const failure = await this.read(signal);
    return failure === undefined ? { kind: "outdated" } : { kind: "failed", failure };
  }

  #send(
    data: ConfigMap["data"] & object,
    stored: ConfigMap | undefined,
    signal: AbortSignal,
  ): Promise<Answer<ConfigMap>> {
    if (stored !== undefined) return this.#client.update(configMaps, { ...stored, data }, signal);
    const object: ConfigMap = {
      apiVersion: configMaps.apiVersion,
      kind: "ConfigMap",
      metadata: nameOf(this.#key),
      data,
    };
    return this.#client.create(configMaps, object, signal);
  }
}
