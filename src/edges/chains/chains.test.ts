import { expect, test } from "vitest";
import { chainOfThree, pemOf as pem } from "../../../test/support/chain-of-three.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Secret } from "../../core/model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../core/model/snapshot.ts";
import { type ChainEvent, CompletedSource } from "./completed-source.ts";
import { issuerIn, missingIssuer } from "./issuer.ts";

const { root, middle, leaf, impostor } = await chainOfThree("http://ca.example", "leaf.example");
const files = new Map([
  ["http://ca.example/middle.crt", Buffer.from(middle.rawData)],
  ["http://ca.example/root.crt", Buffer.from(pem(root))],
]);

test("the URL of a missing issuer is read from the last certificate of a chain", () => {
  expect(missingIssuer(pem(leaf))?.url).toBe("http://ca.example/middle.crt");
  expect(missingIssuer(pem(leaf) + pem(middle))?.url).toBe("http://ca.example/root.crt");
  expect(missingIssuer(pem(root))).toBeUndefined();
  expect(missingIssuer("no certificate")).toBeUndefined();
});

test("a certificate counts as an issuer only if its key signed the other one", () => {
  const { of } = missingIssuer(pem(leaf))!;
  expect(issuerIn(Buffer.from(middle.rawData), of)?.subject).toBe("CN=Middle");
  expect(issuerIn(Buffer.from(impostor.rawData), of)).toBeUndefined();
  expect(issuerIn(Buffer.from("<html>"), of)).toBeUndefined();
});

function followed(fetch: (url: string) => Promise<Uint8Array>) {
  const data = { "tls.crt": Buffer.from(pem(leaf)).toString("base64"), "tls.key": "" };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "ns", name: "web" }, data } as Secret;
  let inner: Snapshot = { ...emptySnapshot, secrets: emptySnapshot.secrets.with([["ns/web", secret]]) };
  const listeners: (() => void)[] = [];
  const clock = new FakeClock();
  const events: ChainEvent[] = [];
  const source = new CompletedSource(
    {
      snapshot: () => inner,
      onChange: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    },
    { fetch, clock, report: (event) => events.push(event) },
    new AbortController().signal,
  );
  const chain = () =>
    Buffer.from(source.snapshot().secrets.get("ns/web")?.data?.["tls.crt"] ?? "", "base64").toString();
  const remove = () => {
    inner = { ...inner, secrets: inner.secrets.with([["ns/web", undefined]]) };
  };
  return { clock, events, chain, remove, source };
}

test("a Secret gets its missing intermediates without the root, and other Secrets stay unchanged", async () => {
  const { events, chain, clock, remove, source } = followed(async (url) => files.get(url)!);
  expect(chain()).toBe(pem(leaf));
  await clock.advance(1);
  expect(chain().match(/BEGIN/g)).toHaveLength(2);
  expect(chain()).toContain(pem(middle).trim().split("\n")[1]);
  expect(events).toEqual([{ kind: "completed", secret: "ns/web", added: 1 }]);
  remove();
  expect(source.snapshot().secrets.size).toBe(0);
});

test("a Secret is served unchanged while its issuer cannot be fetched, and the fetch is repeated", async () => {
  let answers = false;
  const { events, chain, clock } = followed(async (url) => {
    if (!answers) throw new Error("nobody there");
    return files.get(url)!;
  });
  chain();
  await clock.advance(1);
  expect(chain()).toBe(pem(leaf));
  expect(events).toEqual([{ kind: "failed", secret: "ns/web", why: "nobody there" }]);
  answers = true;
  await clock.advance(300_001);
  expect(chain().match(/BEGIN/g)).toHaveLength(2);
});
