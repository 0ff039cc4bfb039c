import type { Edit, Mutation } from './mutation.ts'

const CORE = 'src/ingress/decide'

const mutation = (
  name: string,
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Mutation => ({
  name,
  edits: edits.map(([file, from, to]): Edit => ({ file: `${CORE}/${file}`, from, to })),
  inIngress: true,
})

/** A rollout of an IngressDaemonSet with a line or two wrong. */
export const INGRESS_MUTATIONS: readonly Mutation[] = [
  mutation('waits for no grace of a detach', ['detached.ts', 'const until = from + graceMs', 'const until = from']),
  mutation(
    'replaces pods before the graces of a detach are over',
    [
      'decide-node.ts',
      "if (detached.kind === 'not yet') return",
      "if (detached.kind === 'not yet' && op.t1 === undefined) return",
    ],
    [
      'apply-template.ts',
      'isInPlace ? [] : gracesLeft(pass, n, op)',
      'isInPlace ? [] : gracesLeft(pass, n, op).slice(0, 0)',
    ],
  ),
  mutation(
    'attaches a node whose new pods are not ready',
    ['pass.ts', 'return replicas === wanted && updated === wanted && ready === wanted', 'return replicas === wanted'],
    ['pass.ts', '|| deployment.oldPods > 0) return false', ') return false'],
    ['updating.ts', 'if (deployment.available < pass.s.object.spec.podsPerNode)', 'if (deployment.available < 0)'],
    ['attaching.ts', "if (isAsVerified && node?.ready === 'True')", 'if (isAsVerified || node !== undefined)'],
  ),
  mutation('takes out one node more than the object allows', [
    'admission.ts',
    'others.length >= room.limit',
    'others.length > room.limit',
  ]),
  mutation('leaves its claim on the node', [
    'attaching.ts',
    'if (ownClaim(s.object, n) !== undefined) return',
    "if (ownClaim(s.object, n)?.id === '') return",
  ]),
  mutation('keeps the slot of a node', [
    'begin.ts',
    "n.slot.kind === 'ours'\n    ? act(n, { kind: 'releaseSlot'",
    "n.slot.kind === 'ours' && n.name === ''\n    ? act(n, { kind: 'releaseSlot'",
  ]),
  mutation('lets a drain evict before the node is detached', [
    'maintain.ts',
    'return setGate(pass, n, false) ?? detached.answer',
    'return setGate(pass, n, true) ?? detached.answer',
  ]),
  mutation('never lets a drain evict', [
    'maintain.ts',
    'return setGate(pass, n, true) ?? whileOut(pass, n, { op, deployment })',
    'return whileOut(pass, n, { op, deployment })',
  ]),
  mutation('withdraws the claims of others with its own', [
    '../../service/run/node-marks.ts',
    'const left = withoutClaim(readClaims(node), owner)',
    'const left = withoutClaim(readClaims(node), owner).slice(0, 0)',
  ]),
  mutation('puts no node back before its object goes', [
    'leaving.ts',
    'const back = withdraw(pass, n, why)\n  if (back !== undefined) return back',
    'const back = withdraw(pass, n, why)\n  if (back?.kind === undefined) return giveBack(n, why)',
  ]),
  mutation('is not asked when its object is deleted', [
    'housekeeping.ts',
    'if (!object.finalizers.includes(INGRESS_FINALIZER))',
    "if (object.name === '')",
  ]),
  {
    // In rollouts the cordoned node does not serve, which holds the next one as well.
    ...mutation('does not count a node that its cordon has out', [
      'reading.ts',
      "if (typeof budget.cordons === 'object') return out",
      "if (typeof budget.cordons !== 'number') return out",
    ]),
    inTest: 'test/ingress/decide/placements.test.ts',
  },
  mutation('lets its object go while the slots cannot be read', [
    'decide.ts',
    "if (fault !== undefined) return { kind: 'hold', reasons: [fault]",
    "if (fault?.code === 'NodeDone') return { kind: 'hold', reasons: [fault]",
  ]),
  mutation('makes the pods of a node anew without a detach', [
    'decide-node.ts',
    "if (op.phase === 'Detaching') return goingOut(pass, n, way)",
    "if (op.phase === 'Detaching') return updating(pass, n, way)",
  ]),
  mutation('takes no operation over from a process that died', [
    'decide-node.ts',
    'if (op !== undefined) return underWay(pass, n, { op, deployment, admission })',
    'if (op !== undefined && pass.s.now - op.t0 < 60_000) return underWay(pass, n, { op, deployment, admission })',
  ]),
  mutation('writes to a Node under the version before its last heartbeat', [
    '../../service/run/node-writes.ts',
    'nodes.versionOf(node) ?? node.resourceVersion',
    'node.resourceVersion',
  ]),
]
