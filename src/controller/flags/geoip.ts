/**
 * Flags about MaxMind databases for the setting use-geoip2. They are read from a folder; Sluice
 * downloads nothing.
 */

import { fileName } from "../../core/kinds/names.ts";
import { listOf } from "../../core/kinds/text.ts";
import { oneOf } from "../../core/kinds/words.ts";
import { flag, named } from "../flag.ts";
import { duration, text, wholeNumber } from "./kinds.ts";

const editions = [
  "GeoIP2-Anonymous-IP",
  "GeoIP2-Country",
  "GeoIP2-City",
  "GeoIP2-Connection-Type",
  "GeoIP2-Domain",
  "GeoIP2-Enterprise",
  "GeoIP2-ISP",
  "GeoIP2-ASN",
  "GeoLite2-ASN",
  "GeoLite2-City",
  "GeoLite2-Country",
] as const;
type Edition = (typeof editions)[number];

const noEffect = "databases are not downloaded; put them into the folder of --geoip-folder";

export const geoip = named({
  maxmindEditionIds: flag<readonly Edition[]>({
    kind: listOf(oneOf(editions)),
    default: ["GeoLite2-City", "GeoLite2-ASN"],
    value: "NAMES",
    doc: "Databases to use, separated by commas. Where two provide the same variable, the first one counts.",
  }),
  geoipFolder: flag({
    kind: fileName,
    default: "/etc/ingress-controller/geoip",
    value: "FOLDER",
    own: true,
    doc: "Where the databases of --maxmind-edition-ids are, each as EDITION.mmdb.",
  }),
  maxmindLicenseKey: flag({ kind: text, value: "KEY", doc: "Was the key for downloading databases.", noEffect }),
  maxmindMirror: flag({ kind: text, value: "URL", doc: "Was the place that databases are downloaded from.", noEffect }),
  maxmindRetriesCount: flag({
    kind: wholeNumber(0),
    default: 1,
    doc: "Was the number of attempts to download.",
    noEffect,
  }),
  maxmindRetriesTimeout: flag({
    kind: duration,
    default: 0,
    doc: "Was the wait between two attempts to download.",
    noEffect,
  }),
});
