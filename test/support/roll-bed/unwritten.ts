import type { RollEvent } from '../../../src/roll/model/roll-event.ts'

/** What a roll that did its work has written for a node, in this order, as one backend's server sees it. */
const writesOf = (node: string, backend: string): readonly string[] => [
  `take a slot of the node budget for ${node}`,
  `record what was there before on ${node}`,
  `cordon ${node}`,
  `set ${backend}/${node} on lb-1 to drain`,
  `taint ${node} evenkeel.dev/out:NoSchedule`,
  'evict default/edge-',
  `announce the reboot on ${node}`,
  `reboot ${node}`,
  `untaint ${node} evenkeel.dev/out:NoSchedule`,
  `uncordon ${node}`,
  `set ${backend}/${node} on lb-1 to ready`,
  `take the record off ${node}`,
  `release the slot of ${node}`,
]

/** Those that are not among the writes that succeeded, or not in this order: a step that had nothing to do wrote nothing. */
export function unwritten(events: readonly RollEvent[], node: string, backend: string): readonly string[] {
  const made = events.flatMap((event) =>
    event.type === 'write' && event.node === node && event.ok ? [event.text] : [],
  )
  let from = 0
  return writesOf(node, backend).filter((wanted) => {
    const at = made.findIndex(
      (text, i) => i >= from && (wanted.endsWith('-') ? text.startsWith(wanted) : text === wanted),
    )
    if (at >= 0) from = at + 1
    return at < 0
  })
}

/** The pods that were evicted from whatever node. */
export const evictedPods = (events: readonly RollEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'pod.moved' ? [event.pod] : []))
