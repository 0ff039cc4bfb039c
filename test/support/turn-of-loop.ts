/** One turn of the event loop: every promise that can go on has gone on. */
export const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
