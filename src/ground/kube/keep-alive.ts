/** Below the 90 s after which an API server closes an idle connection, so that the client closes it first. */
const IDLE_CONNECTION_MS = 45_000
const TCP_KEEP_ALIVE_MS = 15_000

/** How connections to an API server are kept open, for any credential. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, timeout: IDLE_CONNECTION_MS } as const
