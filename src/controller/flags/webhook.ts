/** Flags about the webhook that the API server calls before it accepts an Ingress. */
import { optional } from "../../core/kinds/combine.ts";
import { hostPort } from "../../core/kinds/flag-kinds.ts";
import { flag, named, toggle } from "../flag.ts";
import { objectName, text } from "./kinds.ts";

export const webhook = named({
  validatingWebhook: flag({
    kind: optional(hostPort),
    value: "ADDRESS",
    cluster: true,
    doc: "Address where the webhook listens, such as :8443. Without it there is no webhook.",
  }),
  validatingWebhookCertificate: flag({
    kind: text,
    value: "FILE",
    cluster: true,
    doc: "Certificate of the webhook; the file is read again when it changes.",
  }),
  validatingWebhookKey: flag({
    kind: text,
    value: "FILE",
    cluster: true,
    doc: "Private key of the webhook; the file is read again when it changes.",
  }),
  validatingWebhookCertificateSecret: flag({
    kind: objectName,
    own: true,
    cluster: true,
    doc: "Secret that holds a certificate which the controller makes and renews itself, instead of files.",
  }),
  validatingWebhookConfiguration: flag({
    kind: text,
    value: "NAME",
    own: true,
    cluster: true,
    doc: "ValidatingWebhookConfiguration into which the controller writes the CA of that certificate.",
  }),
  disableFullTest: toggle({
    doc: "Was the choice to test a submitted Ingress without the others.",
    noEffect: "only what depends on the submitted Ingress is checked, so there is nothing to save",
  }),
});
