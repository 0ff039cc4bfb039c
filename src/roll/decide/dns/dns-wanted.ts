import { runsNoRelay } from '../../../dns/model/runs-no-relay.ts'
import type { Decision } from '../../model/decision.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { isStillToGo } from './dns-leaving.ts'

/** The check of DNS that is needed next. */
export interface DnsWant {
  /** Of each lane that waits for it, the node; more than one only of nodes that are back. */
  readonly nodes: readonly string[]
  readonly for: 'leaving' | 'back'
  /** Nodes on which relays have to run. */
  readonly from: readonly string[]
}

/** So that one of them is not the node of a pod that looks ill. */
const PLACES = 2

/** The check that a decision waits for; undefined where no check matters for it. */
export function dnsWanted(s: RollSnapshot, decision: Decision): DnsWant | undefined {
  if (s.dns === undefined || !hasCurrent(s) || decision.kind === 'settled') return undefined
  const { name } = s.current.node
  switch (decision.step) {
    case 'slot':
      // A roll may wait for its slot for hours. The first check has ended before the baseline is over.
      return s.slot.state === 'mine' || s.dns.last === undefined ? leaving(s) : undefined
    case 'record':
    case 'cordon':
    case 'detach':
      return leaving(s)
    case 'settle': {
      const record = ownRecord(s)
      if (record === undefined || !hasRebooted({ ...s, record })) return undefined
      const own = runsNoRelay(s.current.node) ? [] : [name]
      return { nodes: [name], for: 'back', from: [...own, ...others(s).slice(0, PLACES - 1)] }
    }
    default:
      return undefined
  }
}

/**
 * What one check can tell to all lanes. A node that comes back is out already, and goes first; nodes that are back together are asked
 * together, each by a relay of its own, and one that stays.
 */
export function dnsWantOf(wants: readonly DnsWant[]): DnsWant | undefined {
  const back = wants.filter((want) => want.for === 'back')
  const [first = wants[0]] = back
  if (back.length < 2) return first
  const nodes = back.flatMap((want) => want.nodes)
  const from = [...new Set(back.flatMap((want) => want.from))]
  const staying = from.filter((name) => !nodes.includes(name))
  return {
    nodes,
    for: 'back',
    from: [...from.filter((name) => nodes.includes(name)), ...staying.slice(0, PLACES - 1)],
  }
}

/** Relays run on nodes that stay: one on the node itself would have to be evicted. */
const leaving = (s: NodeSnapshot): DnsWant | undefined =>
  isStillToGo(s) ? { nodes: [s.current.node.name], for: 'leaving', from: others(s) } : undefined

/** Of nodes that can run a relay, those that leave last, or not any more, come first: their relays can stay for the next node too. There may be thousands. */
function others({ cluster, run, current }: NodeSnapshot): readonly string[] {
  const ready = new Set(
    cluster.nodes.flatMap((node) =>
      node.ready === 'True' && node.name !== current.node.name && !runsNoRelay(node) ? [node.name] : [],
    ),
  )
  const [done, order] = [new Set(run.done), new Set(run.order)]
  const toGo = run.order.filter((name) => !done.has(name))
  const neverGo = [...ready].filter((name) => !done.has(name) && !order.has(name))
  return [...run.done.toReversed(), ...neverGo, ...toGo.toReversed()].filter((name) => ready.has(name)).slice(0, PLACES)
}
