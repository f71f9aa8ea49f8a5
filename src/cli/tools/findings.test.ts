import { expect, test } from "vitest";
import type { Problem } from "../../problem.ts";
import { distinct } from "./findings.ts";

test("a Secret that two hosts lack is one finding, and two Ingresses that lack it are two", () => {
  const lacking = (name: string, field = "spec.tls[0].secretName"): Problem => ({
    object: { kind: "Ingress", namespace: "shop", name },
    kind: "secret-unusable",
    field,
    secret: "shop/pair",
    why: "not found",
  });
  const [web, again, other, second] = [lacking("web"), lacking("web"), lacking("api"), lacking("web", "spec.tls[1]")];
  expect(distinct([web!, again!, other!, second!])).toEqual([web, other, second]);
});
