import { FlagReader, flagsRefused, parsedFlags } from '../../ground/text/flag-reader.ts'

interface RelayOptions {
  readonly port: number
  readonly idleLimitMs: number
}

const TEXT = { type: 'string' } as const
const FLAGS = {
  port: { ...TEXT, default: '8053' },
  'idle-limit': { ...TEXT, default: '30s' },
  help: { type: 'boolean', short: 'h' },
} as const

const OWNER = { command: 'dns-relay', code: 'RELAY_OPTIONS' } as const

export const RELAY_HELP = `Usage: evenkeel dns-relay [options]

Sends DNS queries for a check that runs elsewhere. It listens on
loopback alone; \`evenkeel dns check --relay --image IMAGE\` starts it in a pod,
and reaches it by port-forward.

Options:
  --port N        on loopback                                 (8053)
  --idle-limit T  ends after so long without a connection (30s)

Example:
  evenkeel dns-relay --port 8053 --idle-limit 30s
`

/** Undefined where help was asked for. Throws UserError RELAY_OPTIONS that names everything that is wrong. */
export function relayOptions(args: readonly string[]): RelayOptions | undefined {
  const values = parsedFlags(args, FLAGS, OWNER)
  if (values.help === true) return undefined
  const read = new FlagReader(values)
  const options = { port: read.port('port'), idleLimitMs: read.duration('idle-limit', 1) }
  if (read.wrong.length > 0) throw flagsRefused(read.wrong, OWNER)
  return options
}
