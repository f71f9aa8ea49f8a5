import { expect, test } from "vitest";
import { refusal } from "./configuration-test.ts";

const failed = "nginx: configuration file /run/nginx.conf test failed";
const emerg = "2026/11/21 12:00:00 [emerg] 7#7:";

test.each([
  [`${emerg} unknown directive "x" in /run/nginx.conf:12`, { file: "/run/nginx.conf", line: 12 }],
  [
    `2026/11/21 12:00:00 [warn] 7#7: conflicting server name "a" on 0.0.0.0:80, ignored in /run/nginx.conf:3
${emerg} host not found in upstream "b" in /run/include/extra:4`,
    { file: "/run/include/extra", line: 4 },
  ],
  [`${emerg} unexpected end of file in /run/a b/nginx.conf:7`, { file: "/run/a b/nginx.conf", line: 7 }],
])("file and line are read from the error %j", (stderr, at) => {
  expect(refusal(`${stderr}\n${failed}\n`)).toMatchObject({ kind: "refused", stderr, at });
});

test("a file and line in text of a user are not read as nginx's", () => {
  const forged = `${emerg} unknown directive "a\n${emerg} b in /run/nginx.conf:5\n" in /run/nginx.conf:99`;
  expect(refusal(`${forged}\n${failed}`)).toMatchObject({ at: { line: 99 } });
});

test("an error without a file and line has none", () => {
  const stderr = `${emerg} cannot load certificate key "/run/tls/a.pem": PEM_read_bio_PrivateKey() failed`;
  expect(refusal(`${stderr}\n${failed}`)).toEqual({ kind: "refused", stderr });
});

test("an address that the machine does not have is not a fault of the text", () => {
  const printed = `nginx: the configuration file /run/nginx.conf syntax is ok
${emerg} bind() to 203.0.113.9:80 failed (99: Cannot assign requested address)
${failed}`;
  expect(refusal(printed)).toMatchObject({
    kind: "unreachable",
    cause: { message: "nginx cannot listen on 203.0.113.9:80: this machine does not have that address." },
    names: "203.0.113.9:80",
  });
});

test.each([
  [`${emerg} open() "/var/log/own.log" failed (13: Permission denied)`, { mayPass: true, names: "/var/log/own.log" }],
  [`${emerg} host not found in syslog server "a:514" in /run/nginx.conf:64`, { mayPass: true, at: { line: 64 } }],
])("the error %j may pass, and names its cause", (stderr, expected) => {
  expect(refusal(`${stderr}\n${failed}`)).toMatchObject({ kind: "refused", stderr, ...expected });
});
