import process from 'node:process'
import { errorText } from '../../src/cli/error-text.ts'
import { EXIT_FAILED, EXIT_USAGE } from '../../src/cli/exit-codes.ts'
import { RELAY_HELP, relayOptions } from '../../src/dns/cli/relay-options.ts'
import { openRelay } from '../../src/dns/io/relay/open-relay.ts'
import { OWN_SOCKETS } from '../../src/dns/io/sockets.ts'
import { lineLog } from '../../src/ground/machine/line-log.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { UserError } from '../../src/ground/model/user-error.ts'

const STOPPED = new Error('stopped')

/** Exit code 0 once it was stopped or has been idle for its limit; 1 where it cannot listen; 2 for wrong options. */
export async function relayMain(args: readonly string[]): Promise<number> {
  const log = lineLog(process.stderr, clock)
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(STOPPED))
  try {
    const options = relayOptions(args)
    if (options === undefined) {
      process.stdout.write(RELAY_HELP)
      return 0
    }
    const relay = await openRelay({ ...options, sockets: OWN_SOCKETS, clock })
    log.warn('relays queries', { ports: [relay.port] })
    await relay.done(stop.signal)
    return 0
  } catch (error) {
    if (error === STOPPED) return 0
    if (error instanceof UserError) process.stderr.write(errorText(error))
    else log.warn('cannot listen', { reason: String(error) })
    return error instanceof UserError ? EXIT_USAGE : EXIT_FAILED
  }
}
