/** The end of a Problem about text that nginx refuses, so that its object is not served. */
export const refusedByNginx = { done: "nginx would refuse it", rejects: true } as const;
