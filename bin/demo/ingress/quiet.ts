import type { Log } from '../../../src/ground/ports/log.ts'

/** What agents and controllers log is not shown in a demo. */
export const QUIET: Log = { debug: () => undefined, warn: () => undefined }
