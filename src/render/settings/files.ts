/** The files that settings are written to: what their text names, and Sluice itself writes. */

import type { Capabilities } from "../../directives/capabilities.ts";
import type { ServerPlace } from "../../directives/place.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Surroundings } from "./surroundings.ts";
import { telemetryFile } from "./tracing.ts";

/** `around` with the names of the files, which `place` gathers. */
export function withSettingsFiles(
  around: Surroundings,
  settings: Settings,
  can: Capabilities,
  place: ServerPlace,
): Surroundings {
  const { sslSessionTicketKey: ticketKey, followed } = settings;
  const written = (content: string | Uint8Array | undefined) =>
    content === undefined ? undefined : place.file("loaded", content);
  return {
    ...around,
    files: {
      ...around.files,
      dhParam: written(followed.dhParam),
      ticketKey: written(ticketKey === undefined ? undefined : Buffer.from(ticketKey, "base64")),
      telemetry: written(can.otel ? telemetryFile(settings) : undefined) ?? around.files.telemetry,
    },
  };
}
