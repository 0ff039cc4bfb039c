import type { Decision } from '../../model/decision.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'
import { isStillToGo } from './dns-leaving.ts'

/** What is to be known of DNS next. */
export interface DnsWant {
  readonly node: string
  readonly for: 'leaving' | 'back'
  /** Nodes that relays are to run on. */
  readonly from: readonly string[]
}

/** One of them is not the node of a pod that looks ill. */
const PLACES = 2

/** What a decision waits for of DNS; undefined where it goes by nothing that a check would tell. */
export function dnsWanted(s: RollSnapshot, decision: Decision): DnsWant | undefined {
  if (s.dns === undefined || !hasCurrent(s) || decision.kind === 'settled') return undefined
  const { name } = s.current.node
  switch (decision.step) {
    case 'slot':
      // A slot may be waited for for hours. What is first known is known before the baseline is over.
      return s.slot.state === 'mine' || s.dns.last === undefined ? leaving(s) : undefined
    case 'record':
    case 'cordon':
    case 'detach':
      return leaving(s)
    case 'settle': {
      const record = ownRecord(s)
      if (record === undefined || !hasRebooted({ ...s, record })) return undefined
      return { node: name, for: 'back', from: [name, ...others(s).slice(0, PLACES - 1)] }
    }
    default:
      return undefined
  }
}

/** From nodes that stay: a relay on the node itself would have to be evicted. */
const leaving = (s: NodeSnapshot): DnsWant | undefined =>
  isStillToGo(s) ? { node: s.current.node.name, for: 'leaving', from: others(s) } : undefined

/** Those first that go last, or not any more: their relays can stay for the next node as well. There may be thousands. */
function others({ cluster, run, current }: NodeSnapshot): readonly string[] {
  const ready = new Set(
    cluster.nodes.flatMap(({ name, ready }) => (ready === 'True' && name !== current.node.name ? [name] : [])),
  )
  const [done, order] = [new Set(run.done), new Set(run.order)]
  const toGo = run.order.filter((name) => !done.has(name))
  const neverGo = [...ready].filter((name) => !done.has(name) && !order.has(name))
  return [...run.done.toReversed(), ...neverGo, ...toGo.toReversed()].filter((name) => ready.has(name)).slice(0, PLACES)
}
