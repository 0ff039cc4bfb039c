import type { Log } from '../../../src/ports/log.ts'

/** What agents and controllers log is not shown in a demo. */
export const QUIET: Log = { debug: () => undefined, warn: () => undefined }
