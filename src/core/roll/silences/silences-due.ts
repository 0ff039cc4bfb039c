import type { Reason } from '../../../model/reason.ts'
import { hasCurrent, type NodeSnapshot, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'

export interface SilenceWant {
  readonly node: string
  readonly address?: string
}

/** For whom alerts are silenced: the node that bears a record of the run, until it is back, or to be left out for a person. */
export function silencesWanted(s: RollSnapshot): SilenceWant | undefined {
  if (!hasCurrent(s) || ownRecord(s) === undefined || s.run.verdict?.keepOut === true) return undefined
  const { name: node, internalAddresses } = s.current.node
  const [address] = internalAddresses
  return { node, ...(address === undefined ? {} : { address }) }
}

/**
 * Before the first thing that alerts could tell of. An Alertmanager that is away holds the node only where the file says so: a
 * silence spares people a call, and no request fails without it.
 */
export function silencesHold(s: NodeSnapshot): readonly Reason[] {
  const { silences: facts, current, spec } = s
  const node = current.node.name
  return (spec.silences ?? []).flatMap(({ name, onFailure }): readonly Reason[] => {
    const state = facts?.node === node ? facts.states[name] : undefined
    if (state?.kind === 'standing') return []
    if (state?.kind === 'failed') {
      const text = `alerts of ${node} are not silenced in ${name}: ${state.text}`
      return onFailure === 'hold' ? [{ code: 'SilenceFailed', object: name, text }] : []
    }
    if (facts === undefined && onFailure === 'ignore') return []
    return [{ code: 'SilenceAsked', object: name, text: `alerts of ${node} are being silenced in ${name}` }]
  })
}
