/**
 * `--enable-ssl-chain-completion`: a Secret with the leaf alone is served with its intermediate
 * certificate, which is fetched from the address in the leaf.
 */
import { createServer } from "node:http";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { chainOfThree, pemOf } from "../support/chain-of-three.ts";
import { ports, serving } from "./support/serve.ts";
import { until } from "./support/until.ts";

const [host, caPort] = ["leaf.example", 21_950];

/** Returns the common names of the certificates that the server shows, the leaf first. */
function shown(): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: "127.0.0.1", port: ports.https, servername: host, rejectUnauthorized: false },
      () => {
        const leaf = socket.getPeerCertificate(true);
        const issuer: DetailedPeerCertificate | undefined = leaf.issuerCertificate;
        resolve([leaf.subject.CN, ...(issuer && issuer !== leaf ? [issuer.subject.CN] : [])].map(String));
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

test("the intermediate that a Secret lacks is served with it", async () => {
  const { root, middle, leaf, key } = await chainOfThree(`http://127.0.0.1:${caPort}`, host);
  const files = new Map([
    ["/middle.crt", Buffer.from(middle.rawData)],
    ["/root.crt", Buffer.from(root.rawData)],
  ]);
  const authority = createServer(({ url = "" }, response) => response.end(files.get(url))).listen(caPort, "127.0.0.1");
  onTestFinished(() => void authority.close());
  const indented = (text: string) => text.trim().replaceAll("\n", "\n    ");
  const one = await serving({
    flags: ["--enable-ssl-chain-completion"],
    files: {
      "tls.yaml": `apiVersion: v1
kind: Secret
metadata: { name: leaf, namespace: shop }
type: kubernetes.io/tls
stringData:
  tls.crt: |
    ${indented(pemOf(leaf))}
  tls.key: |
    ${indented(key)}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  tls: [{ hosts: [${host}], secretName: leaf }]
  rules: [{ host: ${host}, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] } }]
`,
    },
  });
  onTestFinished(one.remove);
  expect(await one.logged(/a certificate chain was completed/)).toMatchObject({ secret: "shop/leaf", added: 1 });
  await until("the whole chain", async () => (await shown()).join() === `${host},Middle`);
});
