/**
 * The API server's rules for Secrets and ConfigMaps that their definitions do not have. No sentence
 * repeats a Secret's value.
 */
import type { Mapping } from "../../../core/model/mapping.ts";
import { both, type Check, fine, type Rule, text, wrong } from "../../../core/schema/findings.ts";
import type { Rules } from "../../../core/schema/schema.ts";
import { dataKey, keys } from "./names.ts";

const dataKeys = keys(dataKey);

const bytesLimit = 1024 * 1024;

const base64: Rule = (value) => {
  if (value.startsWith("ENC[")) return "sops has encrypted it; decrypt the file before it is read";
  const bare = value.replace(/[\r\n]/g, "");
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare)
    ? undefined
    : "it is not base64; plain text belongs in stringData";
};

const small: Check = (value) => {
  const texts = ["data", "stringData", "binaryData"].flatMap((field) => Object.values((value as Mapping)[field] ?? {}));
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(String(one)), 0);
  return bytes > bytesLimit * 1.4 ? wrong([], `it has more than ${bytesLimit} bytes of data`) : fine;
};

const pairKeys = ["tls.crt", "tls.key"];

/**
 * A Secret whose type requires a key pair must have both keys. `translate/` checks that they fit
 * together.
 */
const promised: Check = (value) => {
  const { type, data, stringData } = value as Mapping;
  if (type !== "kubernetes.io/tls") return fine;
  const given = [data, stringData].flatMap((some) => Object.keys(some ?? {}));
  return pairKeys
    .filter((key) => !given.includes(key))
    .flatMap((key) => wrong([], `a Secret of type kubernetes.io/tls needs the key ${key}`));
};

const distinctKeys: Check = (value) => {
  const { data, binaryData } = value as { readonly data?: object; readonly binaryData?: object };
  const doubles = Object.keys(data ?? {}).filter((key) => Object.hasOwn(binaryData ?? {}, key));
  return doubles.flatMap((key) => wrong(["binaryData", key], "this key is in data, too"));
};

export const before: Rules = {
  "Secret.data{}": text(base64),
  "ConfigMap.binaryData{}": text(base64),
};

export const after: Rules = {
  "Secret.data": dataKeys,
  "Secret.stringData": dataKeys,
  "ConfigMap.data": dataKeys,
  "ConfigMap.binaryData": dataKeys,
  Secret: (value) => both(promised(value), small(value)),
  ConfigMap: (value) => both(distinctKeys(value), small(value)),
};
