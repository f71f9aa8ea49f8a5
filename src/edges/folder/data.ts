/**
 * Checks a Secret, a ConfigMap or a Namespace by the rules of the API server. No sentence repeats a
 * Secret's value.
 */

import { isMapping } from "../../core/model/mapping.ts";
import { anything, boolean, type Check, mapOf, type Rule, record, text, wrong } from "./check.ts";
import { metadata } from "./metadata.ts";
import { dataKey, dnsLabel, dnsSubdomain } from "./names.ts";

const bytesLimit = 1024 * 1024;

const base64: Rule = (value) => {
  if (value.startsWith("ENC[")) return "sops has encrypted it; decrypt the file before it is read";
  const bare = value.replace(/[\r\n]/g, "");
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare)
    ? undefined
    : "it is not base64; plain text belongs in stringData";
};

const small: Check = (value) => {
  if (!isMapping(value)) return [];
  const texts = ["data", "stringData", "binaryData"].flatMap((field) => Object.values(value[field] ?? {}));
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(String(one)), 0);
  return bytes > bytesLimit * 1.4 ? wrong([], `it has more than ${bytesLimit} bytes of data`) : [];
};

const pairKeys = ["tls.crt", "tls.key"];

/**
 * A Secret whose type requires a key pair must have both keys. `translate/` checks that they fit
 * together.
 */
const promised: Check = (value) => {
  if (!isMapping(value) || value.type !== "kubernetes.io/tls") return [];
  const keys = [value.data, value.stringData].flatMap((some) => Object.keys(some ?? {}));
  return pairKeys
    .filter((key) => !keys.includes(key))
    .flatMap((key) => wrong([], `a Secret of type kubernetes.io/tls needs the key ${key}`));
};

const distinctKeys: Check = (value) => {
  const { data, binaryData } = value as { readonly data?: object; readonly binaryData?: object };
  const both = Object.keys(data ?? {}).filter((key) => Object.hasOwn(binaryData ?? {}, key));
  return both.flatMap((key) => wrong(["binaryData", key], "this key is in data, too"));
};

export const secret = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    type: text(),
    data: mapOf(dataKey, text(base64)),
    stringData: mapOf(dataKey, text()),
    immutable: boolean,
  },
  ["metadata"],
  promised,
  small,
);

export const configMap = record(
  {
    apiVersion: anything,
    kind: anything,
    metadata: metadata(dnsSubdomain),
    data: mapOf(dataKey, text()),
    binaryData: mapOf(dataKey, text(base64)),
    immutable: boolean,
  },
  ["metadata"],
  distinctKeys,
  small,
);

export const namespace = record(
  { apiVersion: anything, kind: anything, metadata: metadata(dnsLabel), spec: anything, status: anything },
  ["metadata"],
);
