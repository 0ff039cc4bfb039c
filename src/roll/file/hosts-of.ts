import type { HostPair, HostsSpec } from '../model/host-pair.ts'
import { holdWhileMoving } from './hold-while-moving.ts'
import { REBOOT_COMMAND } from './schema/reboot-section.ts'
import type { RollFile } from './schema/roll-file-schema.ts'

type Spec = RollFile['spec']
type PairFields = NonNullable<Spec['hosts']>['pairs'][number]

/** Machines of the load balancers in the form of the engine. */
export function hostsOf({ hosts, reboot }: Spec): { readonly hosts?: HostsSpec } {
  if (hosts === undefined) return {}
  const [first] = reboot.ssh?.command ?? REBOOT_COMMAND
  const asRoot = first?.split('/').at(-1) === 'sudo' ? ['sudo', '-n'] : []
  return { hosts: { order: hosts.order, pairs: hosts.pairs.map((pair) => pairOf(pair, asRoot)) } }
}

function pairOf(pair: PairFields, asRoot: readonly string[]): HostPair {
  const { name, addresses, machines, runs, commandTimeout, moveLimit, connectionsLimit } = pair
  return {
    name,
    addresses,
    machines: machines.map(({ ssh, ...machine }) => ({ ...machine, ssh: ssh ?? machine.name })),
    ...commandsOf(pair, asRoot),
    ...checkOf(pair, asRoot),
    runs,
    commandTimeoutMs: commandTimeout,
    moveLimitMs: moveLimit,
    connectionsLimitMs: connectionsLimit,
  }
}

/** In one write, by a new file that replaces the old one: keepalived may read the file at any moment. */
const WRITE = 'printf "%s\\n" "$1" >"$0.new" && mv "$0.new" "$0"'

/** `$1`: an absolute path, or nothing; then programs. */
const CHECK = `if [ -n "$1" ] && [ ! -d "\${1%/*}/" ]; then echo "there is no directory \${1%/*}" >&2; exit 1; fi
shift
for p in "$@"; do command -v "$p" >/dev/null || { echo "$p is not installed" >&2; exit 1; }; done`

function checkOf({ trackFile, holdConnections }: PairFields, asRoot: readonly string[]): Pick<HostPair, 'checkMove'> {
  if (trackFile === undefined && holdConnections === undefined) return {}
  const programs = holdConnections === undefined ? [] : ['nft', 'ss', 'ip']
  return { checkMove: [...asRoot, 'sh', '-c', CHECK, 'evenkeel', trackFile?.path ?? '', ...programs] }
}

function commandsOf(pair: PairFields, asRoot: readonly string[]): Pick<HostPair, 'moveAway' | 'moveBack'> {
  const { trackFile, holdConnections } = pair
  const write = (path: string, value: number): readonly string[] => [...asRoot, 'sh', '-c', WRITE, path, String(value)]
  const moveAway = trackFile === undefined ? (pair.moveAway ?? []) : write(trackFile.path, trackFile.away)
  const moveBack = trackFile === undefined ? (pair.moveBack ?? []) : write(trackFile.path, trackFile.back)
  if (holdConnections === undefined) return { moveAway, moveBack }
  const { ports, limit } = holdConnections
  return { moveAway: [...asRoot, ...holdWhileMoving({ ...pair, ports, limitMs: limit, move: moveAway })], moveBack }
}
