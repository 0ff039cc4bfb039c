import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import { wordsOf } from '../../actuators/actuator-of.ts'
import type { ServerReading } from '../../model/balancer.ts'
import { serversAtAddress } from '../match-node-servers.ts'
import { ServerIndex } from '../server-index.ts'
import type { BudgetPlace } from './snapshot.ts'

/**
 * `detached`: each server at these addresses is taken out by an administrative state. `down`: no server at them is sent
 * traffic, and one of them only because its checks fail. Undefined: a server is sent traffic, or none ever was. Each pass asks
 * this of every node.
 */
export function servesNothing(
  { addresses }: { readonly addresses: readonly string[] },
  places: readonly BudgetPlace[],
): 'detached' | 'down' | undefined {
  const here = addresses.map(canonicalAddress)
  return isAtOneOut(here, addressesOut(places)) ? together(serversOf(here, places).map(trafficState)) : undefined
}

/** The addresses of servers that are not sent traffic. They are few, and only a node at one of them can serve nothing. */
export function addressesOut(places: readonly BudgetPlace[]): ReadonlySet<string> {
  const [first = NOWHERE, ...more] = places.map(({ reading }) => ADDRESSES_OUT.of(reading?.servers ?? NONE))
  return more.reduce((all, out) => (out.size === 0 ? all : all.union(out)), first)
}

/** `addresses`: in the canonical form. */
export const isAtOneOut = (addresses: readonly string[], out: ReadonlySet<string>): boolean =>
  out.size > 0 && addresses.some((address) => out.has(address))

/** Whether a cordon and a label of the node take it out: an agent answers for it, or did. `unknown`: its agent has never answered. */
export function goesByMarks(addresses: readonly string[], places: readonly BudgetPlace[]): 'yes' | 'no' | 'unknown' {
  const answers = serversOf(addresses, places).map((reading) => wordsOf(reading).goesByMarks(reading))
  return (['yes', 'unknown'] as const).find((answer) => answers.includes(answer)) ?? 'no'
}

type TrafficState = 'in' | 'detached' | 'down' | 'never'

function together(states: readonly TrafficState[]): 'detached' | 'down' | undefined {
  if (states.includes('in')) return undefined
  if (states.includes('down')) return 'down'
  return states.includes('detached') ? 'detached' : undefined
}

/** A server that was never sent traffic is not out for any owner. */
const trafficState = (reading: ServerReading): TrafficState =>
  reading.adminState === 'ready' ? wordsOf(reading).checked(reading) : 'detached'

const NONE: readonly ServerReading[] = []
const NOWHERE: ReadonlySet<string> = new Set()

const serversOf = (addresses: readonly string[], places: readonly BudgetPlace[]): readonly ServerReading[] =>
  places.flatMap(({ backends, reading }) =>
    addresses
      .flatMap((address) => serversAtAddress(address, reading?.servers ?? NONE))
      .filter(({ ref }) => backends.includes(ref.backend)),
  )

/** Of one instance. */
export const ADDRESSES_OUT = new ServerIndex<ReadonlySet<string>>({
  make: (servers) => {
    const out = new Set<string>()
    for (const server of servers) {
      if (server.address !== '' && trafficState(server) !== 'in') out.add(canonicalAddress(server.address))
    }
    return out
  },
  isAlike: (was, is) => was.address === is.address && (trafficState(was) === 'in') === (trafficState(is) === 'in'),
})
