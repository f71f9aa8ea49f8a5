/**
 * Keys about the sizes of nginx's hash tables. Sluice raises them if a name would not fit, so a
 * size never makes a configuration fail.
 */
import { keyed, setting } from "./declare.ts";
import { count, countOrNone } from "./kinds.ts";

/** The size of a bucket: at least a cache line and less than 64 KB, as nginx requires. */
const bucket = count({ min: 32, max: 65_472 });

export const hashes = keyed({
  serverNameHashMaxSize: setting({
    kind: count(),
    default: 1024,
    becomes: "server_names_hash_max_size",
    doc: "Size of the table of host names; raised if the hosts need more.",
  }),
  serverNameHashBucketSize: setting({
    kind: countOrNone({ max: 65_472 }),
    default: 0,
    becomes: "server_names_hash_bucket_size",
    doc: "Size of one bucket of the table of host names; raised if a name needs more.",
  }),
  mapHashBucketSize: setting({
    kind: bucket,
    default: 64,
    becomes: "map_hash_bucket_size",
    doc: "Size of one bucket of the tables of maps; raised if a pattern needs more.",
  }),
  proxyHeadersHashMaxSize: setting({
    kind: count({ min: 64 }),
    default: 512,
    directive: { name: "proxy_headers_hash_max_size", context: "http" },
    doc: "Size of the table of request headers towards backends.",
  }),
  proxyHeadersHashBucketSize: setting({
    kind: count({ min: 64, max: 65_472 }),
    default: 64,
    directive: { name: "proxy_headers_hash_bucket_size", context: "http" },
    doc: "Size of one bucket of the table of request headers towards backends.",
  }),
  variablesHashMaxSize: setting({
    kind: count({ min: 64 }),
    default: 2048,
    directive: { name: "variables_hash_max_size", context: "http" },
    doc: "Size of the table of variables.",
  }),
  variablesHashBucketSize: setting({
    kind: count({ min: 64, max: 65_472 }),
    default: 256,
    directive: { name: "variables_hash_bucket_size", context: "http" },
    doc: "Size of one bucket of the table of variables.",
  }),
});
