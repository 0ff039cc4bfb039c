import { canonicalAddress } from '../../ground/model/ip-address.ts'

interface Held {
  readonly addresses: readonly string[]
  readonly ports: readonly number[]
  /** How long connections that are under way may take to end. */
  readonly limitMs: number
  /** The command that makes the machine give its addresses away. */
  readonly move: readonly string[]
}

const POLL_EVERY_S = 0.05
const pollsWithin = (limitMs: number): number => Math.ceil(limitMs / (POLL_EVERY_S * 1000))

/** From the end of the command until the addresses have left. */
export const LEAVE_LIMIT_MS = 5000
/** If the script is killed, the kernel accepts connections again after this time: the limits, and some time for the command. */
const SPARE_MS = 5000

/**
 * A command that runs `move` while the machine takes no new connections to the addresses. A packet to an address that has moved
 * reaches the other machine, which knows none of this machine's connections and resets them. So the firewall drops each SYN;
 * clients repeat it after a second (RFC 6298, 2.1), and by then the other machine has the address and accepts it. Connections
 * under way end before the move. Each entry of the firewall's sets has a timeout: it ends without this script and without any
 * connection to the machine.
 */
export function holdWhileMoving({ addresses, ports, limitMs, move }: Held): readonly string[] {
  const canonical = addresses.map(canonicalAddress)
  const bracketed = canonical.map((address) => (address.includes(':') ? `[${address}]` : address))
  const endpoints = bracketed.flatMap((address) => ports.map((port) => `src ${address}:${port}`))
  return [
    'sh',
    '-c',
    SCRIPT,
    'evenkeel',
    rulesOf(canonical, ports, limitMs + LEAVE_LIMIT_MS + SPARE_MS),
    `( ${endpoints.join(' or ')} )`,
    canonical.join(' '),
    String(pollsWithin(limitMs)),
    ...move,
  ]
}

const TABLE = 'inet evenkeel_move'

/**
 * In one transaction, which also removes the rules of an earlier run. Before connection tracking, so that a translated port is
 * held, too.
 */
function rulesOf(addresses: readonly string[], ports: readonly number[], timeoutMs: number): string {
  const set = (name: string, type: string, chosen: readonly string[]): string => {
    const elements = chosen.flatMap((address) => ports.map((port) => `${address} . ${port} timeout ${timeoutMs}ms`))
    const listed = elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} };`
    return `set ${name} { type ${type} . inet_service; flags timeout;${listed} }`
  }
  const isV6 = (address: string): boolean => address.includes(':')
  const syn = 'tcp flags & (syn | ack) == syn'
  return `table ${TABLE} {}
delete table ${TABLE}
table ${TABLE} {
  ${set(
    'held',
    'ipv4_addr',
    addresses.filter((address) => !isV6(address)),
  )}
  ${set('held6', 'ipv6_addr', addresses.filter(isV6))}
  chain incoming {
    type filter hook prerouting priority raw; policy accept;
    ${syn} ip daddr . tcp dport @held drop
    ${syn} ip6 daddr . tcp dport @held6 drop
  }
}
`
}

/**
 * $1 rules, $2 connections, $3 addresses, $4 how often connections are checked; then the command. In fin-wait-2 and time-wait
 * everything was sent and received.
 */
const SCRIPT = `rules=$1 connections=$2 addresses=$3 looks=$4
shift 4
here() { for a in $addresses; do ip -o addr show to "$a" | grep -qvE '^[0-9]+: lo ' && return 0; done; return 1; }
here || exec "$@"
printf '%s' "$rules" | nft -f - || exit
trap 'nft delete table ${TABLE}' EXIT
trap 'exit 1' HUP INT TERM
n=0
while left=$(ss -Htn state connected exclude time-wait exclude fin-wait-2 "$connections") || exit; [ -n "$left" ] && [ "$n" -lt "$looks" ]; do
  n=$((n + 1)); sleep ${POLL_EVERY_S}
done
"$@" || exit
n=0
while here && [ "$n" -lt ${pollsWithin(LEAVE_LIMIT_MS)} ]; do
  n=$((n + 1)); sleep ${POLL_EVERY_S}
done
exit 0
`
