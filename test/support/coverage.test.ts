import { expect, test } from "vitest";
import { coverageOf, namesIn, usedByCorpus } from "./coverage.ts";

test("names are counted, and those without a test are listed", () => {
  const coverage = coverageOf("keys", ["hsts", "use-gzip", "bind-address"], new Set(["use-gzip", "other"]));
  expect(coverage).toMatchObject({ tested: ["use-gzip"], untested: ["hsts", "bind-address"] });
  expect(coverage.line).toBe("keys: 3 declared, 1 with a behaviour test, 2 without: hsts bind-address");
});

test("a name counts if the text of a test has it as a property or as a string of its own", () => {
  const names = namesIn(`
    // limit-rps is only mentioned, and so is "the limit-rpm of others"
    const a = { "auth-url": "http://x.example/", satisfy: "any", [\`\${prefix}/app-root\`]: "/x" };
    start(["--http-port=8080", "--update-status"], { "nginx.ingress.kubernetes.io/use-regex": "true" });
  `);
  expect(names).toEqual(expect.arrayContaining(["auth-url", "satisfy", "use-regex", "--http-port", "--update-status"]));
  expect(names).not.toContain("limit-rps");
  expect(names).not.toContain("limit-rpm");
});

test("the names in the corpus are separated by kind", () => {
  const { annotations, settings, flags } = usedByCorpus();
  expect(annotations).toContain("auth-url");
  expect(settings).toContain("add-headers");
  expect(flags).toContain("--annotations-prefix");
  expect(annotations).not.toContain("add-headers");
});
