import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import { wordsOf } from '../../actuators/actuator-of.ts'
import type { ServerReading } from '../../model/balancer.ts'
import { serversAtAddress } from '../match-node-servers.ts'
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
  const isOutAt = ({ reading }: BudgetPlace): boolean => {
    const out = outAt(reading?.servers ?? NONE)
    return out.size > 0 && here.some((address) => out.has(address))
  }
  return places.some(isOutAt) ? together(serversOf(here, places).map(trafficState)) : undefined
}

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

const serversOf = (addresses: readonly string[], places: readonly BudgetPlace[]): readonly ServerReading[] =>
  places.flatMap(({ backends, reading }) =>
    addresses
      .flatMap((address) => serversAtAddress(address, reading?.servers ?? NONE))
      .filter(({ ref }) => backends.includes(ref.backend)),
  )

/** The addresses of servers that are not sent traffic. They are few, and only a node at one of them can serve nothing. */
const OUT_AT = new WeakMap<readonly ServerReading[], ReadonlySet<string>>()

function outAt(servers: readonly ServerReading[]): ReadonlySet<string> {
  const known = OUT_AT.get(servers)
  if (known !== undefined) return known
  const out = new Set<string>()
  for (const server of servers) {
    if (server.address !== '' && trafficState(server) !== 'in') out.add(canonicalAddress(server.address))
  }
  OUT_AT.set(servers, out)
  return out
}
