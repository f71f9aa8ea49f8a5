/** What `sluice compat` reads of Terraform: values of ingress-nginx's chart in heredocs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { compat } from "../../src/cli/compat.ts";
import { ran } from "./support/ran.ts";

/** Runs it on a folder with this file, or on the file; line breaks of the report become blanks. */
async function compatOf(text: string, name?: string) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-terraform-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "main.tf"), text);
  const found = await ran(compat, name === undefined ? folder : join(folder, name), "--all");
  return { code: found.code, text: found.text.replace(/\s+/g, " ") };
}

const release = (values: string, more = "") => `# A brace { in a comment.
resource "helm_release" "edge" {
  name       = "edge"
  namespace  = "network"
  repository = "https://kubernetes.github.io/ingress-nginx"
  chart      = "ingress-nginx"
  values = [${values}]
${more}}
`;

const heredoc = `
    <<-EOF
    controller:
      config:
        enable-gzip: "true"
      ingressClassResource:
        name: \${var.class}
    EOF
  `;

test("values in a heredoc are judged with their lines, and a variable is a placeholder", async () => {
  const inFolder = await compatOf(release(heredoc));
  expect(inFolder.code).toBe(3);
  expect(inFolder.text).toContain(
    "ConfigMap network/edge-ingress-nginx-controller (main.tf:11:9): key enable-gzip does not exist (did you mean use-gzip?)",
  );
  expect(inFolder.text).toContain("value controller.ingressClassResource.name of helm_release edge (main.tf:13:9):");
  expect(inFolder.text).not.toContain("this is Terraform");
  expect((await compatOf(release(heredoc), "main.tf")).text).toContain("(main.tf:11:9): key enable-gzip");
});

test("a later heredoc overrides an earlier one", async () => {
  const { code, text } = await compatOf(
    release(
      "<<A\ncontroller: { kind: Deamonset, config: { plugins: a } }\nA\n, <<B\ncontroller: { kind: DaemonSet }\nB\n",
    ),
  );
  expect([code, text]).toEqual([0, expect.stringContaining("(main.tf:8:42): key plugins has no effect")]);
});

test("everything else that sets values is named, and other objects of the file", async () => {
  const { code, text } = await compatOf(
    `${release(`${heredoc}, file("more.yaml")`, '  set {\n    name = "controller.kind"\n  }\n')}
resource "kubernetes_ingress_v1" "shop" {}
`,
  );
  expect(code).toBe(3);
  expect(text).toContain('helm_release edge (main.tf:2:1): its values from file("more.yaml") are not read');
  expect(text).toContain("helm_release edge (main.tf:2:1): its values from set are not read");
  expect(text).toContain("main.tf:1:1: this is Terraform, of which only the values of ingress-nginx's chart are read");
});

test.each([
  ["directives of a template", release("<<A\ncontroller:\n%{ if var.own }\n  kind: DaemonSet\n%{ endif }\nA\n")],
  ["another chart", release("<<A\ncontroller: { kind: DaemonSet }\nA\n").replace('= "ingress-nginx', '= "haproxy')],
  ["no heredoc", release('file("ingress-values.yaml")')],
])("a file with %s is not read", async (_, text) => {
  const found = await compatOf(text);
  expect([found.code, found.text]).toEqual([3, expect.stringContaining("this is Terraform, which is not read")]);
});
