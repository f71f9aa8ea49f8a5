import { expect, test } from "vitest";
import { refusal } from "./configuration-test.ts";

test.each([
  ['nginx: [emerg] unknown directive "x" in /run/nginx.conf:12', { file: "/run/nginx.conf", line: 12 }],
  [
    'nginx: [warn] conflicting server name "a" in /run/nginx.conf:3\nnginx: [emerg] host not found in upstream "b" in /run/include/extra:4\nnginx: configuration file /run/nginx.conf test failed',
    { file: "/run/include/extra", line: 4 },
  ],
  [
    'nginx: [emerg] unexpected end of file, expecting "}" in /run/with space/nginx.conf:7',
    { file: "/run/with space/nginx.conf", line: 7 },
  ],
])("the place is read from %j", (stderr, at) => {
  expect(refusal(stderr)).toEqual({ kind: "refused", stderr, at });
});

test("a refusal that names no place has none", () => {
  const stderr = 'nginx: [emerg] cannot load certificate key "/run/tls/a.pem": PEM_read_bio_PrivateKey() failed';
  expect(refusal(stderr)).toEqual({ kind: "refused", stderr });
});
