/** The creation time of an object that is not in the cluster yet: it is younger than all others. */
export const notYet = "9999-12-31T23:59:59Z";
