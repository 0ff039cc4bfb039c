import type { BrakeSnapshot, Published } from '../../src/agent/decide/brake/snapshot.ts'
import type { FleetNode } from '../../src/agent/model/fleet-node.ts'
import { monoMs } from '../../src/ground/model/time.ts'

export const NOW = monoMs(1_000_000)
const SELF = 'controller-a'

/** `n1` serves, `n2!` is cordoned, `n3-` is not Ready, `n4>` leaves by itself, `n5x` is being deleted, `n7@` bears a roll's record, `n6?` cannot be read. */
export function aNode(sign: string): FleetNode {
  const name = sign.replace(/[^a-z0-9]+$|x$/g, '').replace(/[!\->?]/g, '')
  const marks = sign.slice(name.length)
  return {
    name,
    uid: `uid-${name}`,
    unschedulable: marks.includes('!'),
    ready: !marks.includes('-'),
    leaves: marks.includes('>'),
    deleting: marks.includes('x'),
    ...(marks.includes('@') ? { recorded: true } : {}),
    ...(marks.includes('?') ? { unreadable: true } : {}),
  }
}

export const nodesOf = (signs: string): readonly FleetNode[] =>
  signs
    .split(' ')
    .filter((sign) => sign !== '')
    .map(aNode)

export interface BrakeScene {
  readonly nodes: string
  /** Granted as published, by this leader. */
  readonly granted?: string
  readonly max?: number
  readonly announced?: string
  /** Cordoned since, in the order they were: all at once where absent. */
  readonly order?: string
  readonly returning?: Readonly<Record<string, number>>
  /** The process looks since then. */
  readonly since?: number
  readonly change?: Partial<BrakeSnapshot>
}

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '')

/** A fleet of which half may be out, whose grants were published by this leader and are as they were. */
export function aBrake({
  nodes,
  granted,
  max,
  announced,
  order,
  returning = {},
  since = 0,
  change,
}: BrakeScene): BrakeSnapshot {
  const fleet = nodesOf(nodes)
  const places = words(order)
  const cordoned = fleet.filter(({ unschedulable }) => unschedulable)
  const most = max ?? Math.max(1, Math.floor(fleet.length / 2))
  const published: Published = {
    writer: SELF,
    announced: words(announced),
    grants: { version: 1, granted: words(granted), max: most, of: fleet.length },
  }
  return {
    now: NOW,
    self: SELF,
    limit: { kind: 'percent', percent: 50 },
    returnMs: 10_000,
    fleet: { kind: 'known', nodes: fleet },
    memory: {
      cordoned: new Map(cordoned.map(({ name, uid }) => [name, { uid, since: monoMs(places.indexOf(name) + 1) }])),
      away: new Set(),
      returning: new Map(Object.entries(returning).map(([name, since]) => [name, monoMs(since)])),
      since: monoMs(since),
    },
    published,
    ...change,
  }
}
