/** Key pairs for all worlds. They are made once, because keys take longer than a simulation. */
import { pairOf } from "../support/named-pair.ts";

export const pairs = ["one", "two", "three"].map((name) => pairOf(name, ["*.example", "*.w.example"]));
