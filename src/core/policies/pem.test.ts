import { expect, test } from "vitest";
import { fakeCertificate } from "../certificates/fake.ts";
import { readablePem, readRevocationList } from "./pem.ts";

const block = (content: string) => `-----BEGIN X509 CRL-----\n${content}\n-----END X509 CRL-----\n`;
const isRead = (text: string) => readablePem(text, "X509 CRL", readRevocationList);

/** An empty revocation list, whose authority's key no longer exists. */
const list = block(`MIGsMFMCAQEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJQXV0aG9yaXR5Fw0yNjEx
MjMwNjUzMzhaFw0yNjEyMjMwNjUzMzhaoA4wDDAKBgNVHRQEAwIBATAKBggqhkjO
PQQDAgNJADBGAiEAtGbxG6E90G/eYVSvJltiUaWqzsy7K5xyjw3CbWJVveACIQDF
8kdi66cQJPzpEJ+HxEJgN0l6KFSuqKp8ilmm0Pm4Tw==`);

test("a list of revoked certificates is read", () => {
  expect(isRead(list)).toBe(true);
  expect(isRead(`${list}${list}`)).toBe(true);
});

test("a block that only has the name of a revocation list is not read, alone or behind one", async () => {
  const { chain } = await fakeCertificate(new Date());
  const certificate = chain.replaceAll(/-----[^-]+-----\n/g, "").trim();
  for (const wrong of [block(certificate), block("bm8="), list.replace("M", "N"), ""]) {
    expect(isRead(wrong)).toBe(false);
    if (wrong !== "") expect(isRead(`${list}${wrong}`)).toBe(false);
  }
});
