import { type JsonPatch, pointerToken } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { MARK_EFFECT, markOn, type NodeMark } from '../../service/model/node-mark.ts'
import { nodeChanged } from './node-changed.ts'
import { addTaintPatch, recorded, unchanged } from './node-patch.ts'

/** Undefined where the Node has such a mark already, with any value: that is not ours to replace. */
export function markNodePatch(node: Node, mark: NodeMark): JsonPatch | undefined {
  if (markOn(node, mark) !== 'absent') return undefined
  const { kind, key, value } = mark
  if (kind === 'taint') return [...recorded(node), ...addTaintPatch(node, { key, value, effect: MARK_EFFECT })]
  const none = kind === 'label' && Object.keys(node.labels).length === 0
  return [
    ...recorded(node),
    ...unchanged(node),
    ...(none ? [{ op: 'add', path: '/metadata/labels', value: {} } as const] : []),
    { op: 'add', path: pathOf(kind, key), value },
  ]
}

/** Undefined where the mark is gone; `NODE_CHANGED` where another value has replaced ours. */
export function unmarkNodePatch(node: Node, mark: NodeMark): JsonPatch | undefined {
  const found = markOn(node, mark)
  if (found === 'absent') return undefined
  const { kind, key, value } = mark
  if (found === 'others') throw nodeChanged(node, `bears the ${kind} ${key} of another owner now`)
  if (kind !== 'taint')
    return [
      ...recorded(node),
      { op: 'test', path: pathOf(kind, key), value },
      { op: 'remove', path: pathOf(kind, key) },
    ]
  const at = node.taints.findIndex((taint) => taint.key === key)
  return [...recorded(node), ...unchanged(node), { op: 'remove', path: `/spec/taints/${at}` }]
}

const pathOf = (kind: 'label' | 'annotation', key: string): string => `/metadata/${kind}s/${pointerToken(key)}`
