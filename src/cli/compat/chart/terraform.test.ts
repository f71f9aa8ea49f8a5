import { expect, test } from "vitest";
import { terraformFile } from "./terraform.ts";

const release = `resource "helm_release" "a" {
  chart = "ingress-nginx"
  repository = "https://kubernetes.github.io/ingress-nginx"
  values = [<<EOF
controller: {}
EOF
  ]
}
`;

test("a block without an end does not take the values of the next one", () => {
  const read = terraformFile("a.tf", `module "other" {\n${release}`);
  expect(read?.sources.map(({ of }) => of)).toEqual(["helm_release a"]);
});

test("a file with more heredocs than any Terraform has is not read", () => {
  const some = "<<A\nx\nA\n";
  expect(terraformFile("a.tf", release + some.repeat(999))).toBeDefined();
  expect(terraformFile("a.tf", release + some.repeat(1_000))).toBeUndefined();
});
