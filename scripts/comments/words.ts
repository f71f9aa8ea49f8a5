/** Words that comments do not use, each with what to write in its place. */
export const forbiddenWords: Readonly<Record<string, string>> = {
  told: "reported to, knows, gets, or the verb for what happens",
  heard: "known, counted, read",
  forgiven: "not the cause",
  whoever: "the caller, the user, any program",
  whom: "the name of the thing that is meant",
  nobody: "no client, no request, no other object",
  speaks: "uses, has the protocol",
  forgets: "drops, does not inherit, overwrites",
  forgotten: "dropped, reset",
  "undefined where": "undefined if",
  "absent where": "absent if",
  "empty where": "empty if",
  "nil where": "nil if",
  "null where": "null if",
  "throws where": "throws if",
};

/** The most columns of a comment's line. */
export const longestLine = 100;
