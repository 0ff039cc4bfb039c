import type { Node } from '../../model/node.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'
import type { Reason } from '../../model/reason.ts'
import { isDetached } from '../service/match-node-servers.ts'
import type { NodeSnapshot } from './node-snapshot.ts'

/** A bad node uses up the budget as one of ours does. A cordon of somebody else alone is not bad. */
export function badNodes(s: NodeSnapshot): readonly Reason[] {
  return s.cluster.nodes
    .filter((node) => node.name !== s.current.node.name)
    .flatMap((node) => {
      const why = whyBad(node, s)
      return why === undefined ? [] : [{ code: 'OtherNodeBad', object: node.name, text: `${node.name} ${why}` }]
    })
}

function whyBad(node: Node, s: NodeSnapshot): string | undefined {
  if (node.ready !== 'True') return `is not Ready (Ready is ${node.ready})`
  if (RECORD_ANNOTATION in node.annotations) return 'is out for another owner (it carries a record)'
  if (isDetached(node, s.instances)) return 'is detached from every balancer'
  return undefined
}
