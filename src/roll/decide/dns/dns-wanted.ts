import { runsNoRelay } from '../../../dns/model/runs-no-relay.ts'
import type { Decision } from '../../model/decision.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { isStillToGo } from './dns-leaving.ts'

/** The check of DNS that is needed next. */
export interface DnsWant {
  readonly node: string
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
      return { node: name, for: 'back', from: [...own, ...others(s).slice(0, PLACES - 1)] }
    }
    default:
      return undefined
  }
}

/** Relays run on nodes that stay: one on the node itself would have to be evicted. */
const leaving = (s: NodeSnapshot): DnsWant | undefined =>
  isStillToGo(s) ? { node: s.current.node.name, for: 'leaving', from: others(s) } : undefined

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
