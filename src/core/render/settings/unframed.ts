/**
 * Answers of backends that nginx would pass on without a frame around their bytes. nginx takes an
 * interim answer (1xx) for the whole answer, and everything behind its header for a body that needs
 * no frame. An answer without a status line (HTTP/0.9) has no frame either. After the status 101
 * nginx passes bytes in both directions, even inside a connection of HTTP/2. So a backend could
 * write further answers into a connection that a proxy in front shares between clients.
 *
 * No directive refuses an answer by its status. But headers-more compares statuses before it sets a
 * header, and nginx ends the request if it cannot set one: `refused` is no length.
 */

import type { Capabilities } from "../../tokens/capabilities.ts";
import { Token, type View } from "../../tokens/token.ts";

/** All interim statuses. nginx takes 0 as the status of an answer without a status line. */
const statuses = [0, ...Array.from({ length: 100 }, (_, at) => 100 + at)];

/** Returns the view of `templates/settings/unframed.tmpl`. Without headers-more it is false. */
export function unframedView({ headersMore }: Capabilities): View {
  return headersMore && { statuses: Token.text(statuses.join(" ")) };
}
