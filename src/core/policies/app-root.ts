/**
 * Redirects requests for `/` alone. It holds for the whole host: if several Ingresses set it,
 * the one with the longest path wins (RS-12.3).
 */
import { type Kind, no, shown } from "../kinds/kind.ts";
import { oneLine, textOf } from "../kinds/text.ts";
import { undecoded } from "../kinds/variables.ts";
import { feature, textField } from "./declare.ts";

const text = undecoded(textOf({ label: "letters, digits and - . _ ~ / : $", characters: "A-Za-z0-9._~/:$\\-" }));

const path: Kind<string> = {
  ...text,
  label: `a path of ${text.label}`,
  read: (raw) => (raw.startsWith("/") ? text.read(raw) : no(`${shown(raw)} is not a path that starts with /`)),
};

export const appRoot = feature({
  name: "app-root",
  scope: "host",
  notOnRoutes: "a rule for the exact path / with the filter RequestRedirect does the same",
  onListeners: true,
  live: true,
  fields: {
    path: textField("app-root", {
      example: "/home",
      kind: path,
      loose: { ...path, read: (raw) => (raw.startsWith("/") ? undecoded(oneLine).read(raw) : path.read(raw)) },
      risk: "Medium",
      doc: "Redirects a request for / with 302 to this path of the same host, before anything else; may hold variables.",
    }),
  },
});
