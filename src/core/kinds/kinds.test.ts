import { expect, test } from "vitest";
import { rangeList } from "./addresses.ts";
import { no, readValue } from "./kind.ts";
import { integer, seconds } from "./numbers.ts";
import { cipherList } from "./tls.ts";
import { bool, oneOf, size } from "./words.ts";

test.each([
  [seconds(), "60s", '"60s" has a unit; it is a number of seconds, like 60'],
  [seconds(), "5m", '"5m" has a unit; it is a number of seconds, like 300'],
  [seconds({ min: 1 }), "0", "0 is below the smallest value, 1"],
  [integer(), '"7"', '"\\"7\\"" has quotes inside the value; write 7 in one pair of quotes'],
  [bool, "yes", '"yes" is neither true nor false'],
  [oneOf(["on", "off"]), "ON", '"ON" is not one of on, off'],
  [size, "16 k", '"16 k" is not a size like 8k, 16m or 1g'],
  [cipherList, "NO-SUCH", '"NO-SUCH" names no cipher that OpenSSL knows'],
  [
    cipherList,
    "TLS_AES_256_GCM_SHA384",
    '"TLS_AES_256_GCM_SHA384" names ciphers of TLS 1.3, which are always on, and none of TLS 1.2 that OpenSSL knows',
  ],
] as const)("%o refuses %j with a sentence for its author", (kind, text, why) => {
  expect(kind.read(text)).toEqual({ ok: false, why });
});

test("a word with other capitals is read as the listed one where the Kind allows it", () => {
  expect(oneOf(["HTTP", "GRPC"], { anyCase: true }).read("grpc")).toEqual({ ok: true, value: "GRPC" });
});

test.each([
  ["https://login.${DOMAIN}", "; a tool should have filled in ${DOMAIN} before, such as envsubst"],
  ["${DOMAIN//./-}-tls", "; a tool should have filled in ${DOMAIN//./-} before, such as envsubst"],
  ["https://$HOST_NAME/x", "; a tool should have filled in $HOST_NAME before, such as envsubst"],
  ["${var.zone}.example", "; a tool should have filled in ${var.zone} before, such as Terraform"],
  ["#{Host}#", "; a tool should have filled in #{Host}# before"],
  ["https://a/ENV_PLACEHOLDER/x", "; a tool should have filled in ENV_PLACEHOLDER before"],
  ["$(params.host)", "; a tool should have filled in $(params.host) before"],
  ["a.__DOMAIN__", "; a tool should have filled in __DOMAIN__ before"],
  ["%HOST%/x", "; a tool should have filled in %HOST% before"],
  ["/a(/|$)(.*)%20${host}", ""],
  ["<your origin>", "; replace the angle brackets and their content with a value of your own"],
  ["https://[YOUR SITE].example", "; replace the square brackets and their content with a value of your own"],
  ["[YOURIP].example", "; replace the square brackets and their content with a value of your own"],
  ["^/[A-Z]+[A-Z0-9_]{2}$", ""],
  ["<域名>", "; replace the angle brackets and their content with a value of your own"],
  ["{{ .Values.origin }}", "; this is a template, which has to be rendered before"],
  ["XXX.XXX.XXX/XX", "; replace XXX.XXX.XXX/XX with a value of your own"],
  ["https://$host/x", ""],
  ["(?<name>x)", ""],
  ["return 200 '<b>';", ""],
])("the sentence about %s names the value that should have been filled in", (text, hint) => {
  const kind = { ...bool, read: () => no("it is wrong") };
  expect(readValue(kind, text)).toEqual(no(`it is wrong${hint}`));
  const usable = { ...bool, read: () => ({ ok: true as const, value: true, besides: "it is left out" }) };
  expect(readValue(usable, text)).toEqual({ ok: true, value: true, besides: `it is left out${hint}` });
});

test.each([
  ["10.0.0.0/8,\n192.0.2.1,\n", "the list ends with a comma, and an empty item is no range"],
  ["10.0.0.0/8,,192.0.2.1", "the list has two commas with nothing between them, and an empty item is no range"],
  ["10.0.0.0/8,x", '"x" is neither an IP address nor a range like 192.0.2.0/24'],
])("the list of ranges %j is refused with the reason", (text, why) => {
  expect(rangeList.read(text)).toEqual(no(why));
});
