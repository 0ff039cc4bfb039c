import type { Edit, Mutation } from './mutation.ts'

const CORE = 'src/guard/decide'

const mutation = (
  name: string,
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Mutation => ({
  name,
  edits: edits.map(([file, from, to]): Edit => ({ file: `${CORE}/${file}`, from, to })),
  inGuards: true,
})

/** Guards with a line or two wrong. */
export const GUARD_MUTATIONS: readonly Mutation[] = [
  mutation('passes over the holds of a node', [
    'may-go.ts',
    "if (held.length === 0) return { kind: 'clear' }",
    "if (held.length >= 0) return { kind: 'clear' }",
  ]),
  mutation('takes a hold that cannot be read for clear', [
    'may-go.ts',
    "verdicts.filter(({ kind }) => kind !== 'clear')",
    "verdicts.filter(({ kind }) => kind === 'held')",
  ]),
  mutation('passes over what a person holds', [
    'may-go.ts',
    '({ node, until }) => node === n.name && !isOver(until, now)',
    "({ node, until }) => node === '' && !isOver(until, now)",
  ]),
  mutation('takes a release that is over for one that counts', [
    'pass.ts',
    'until !== undefined && Date.parse(until) <= now',
    'until !== undefined && Date.parse(until) <= now - 3_600_000',
  ]),
  mutation('takes no slot of the node budget', [
    'grants.ts',
    "if (slot !== undefined) return [{ kind: 'takeSlot', node: x.name, ...slot }]",
    "if (slot !== undefined && x.name === '') return [{ kind: 'takeSlot', node: x.name, ...slot }]",
  ]),
  mutation(
    'grants a node beyond the node budget',
    ['admission.ts', 'if (others.length >= limit) return', 'if (others.length >= limit + 9) return'],
    [
      'admission.ts',
      'slotFor(slotsToAskFor(budget), x.name)',
      "slotFor(slotsToAskFor({ ...budget, limit: { kind: 'count', count: 9 } }), x.name)",
    ],
  ),
  mutation('keeps the slot of a node that is back', [
    'grants.ts',
    "return x.slot.kind === 'ours' ? [{ kind: 'releaseSlot'",
    "return x.slot.kind === 'ours' && x.name === '' ? [{ kind: 'releaseSlot'",
  ]),
  mutation('leaves its claim on a node that is back', [
    'grants.ts',
    'if (x.node !== undefined && x.claim !== undefined)',
    "if (x.node !== undefined && x.claim !== undefined && x.name === '')",
  ]),
  mutation('leaves the budget of an evicted guard open', [
    'grants.ts',
    'if (open.length === 0) return []',
    'if (open.length === 0 || isGone(x) || x.asks === undefined) return []',
  ]),
  mutation(
    'forgets a node once its guard is evicted',
    ['grants.ts', 'under.filter((x) => !isLost(pass, x))', 'under.filter((x) => !isGone(x))'],
    ['why-not.ts', 'other !== x && !(isAway(x) && isStuck(other))', 'other === undefined'],
  ),
  mutation('leaves nodes that are cordoned out of the count', [
    'guarded-nodes.ts',
    'const verdict = judge(node)',
    "const verdict = node.unschedulable ? 'Leave' : judge(node)",
  ]),
  mutation('lets guards tolerate a cordon', [
    'followed.ts',
    'const ALWAYS_TOLERATED: readonly Json[] = [',
    "const ALWAYS_TOLERATED: readonly Json[] = [\n  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },",
  ]),
  mutation('makes guards before the budget over them', [
    'upkeep.ts',
    "if (gate === undefined) return { kind: 'createGate', view, wanted } as const",
    "if (gate === undefined && deployment !== undefined) return { kind: 'createGate', view, wanted } as const",
  ]),
  mutation(
    'shrinks the guards without removing the one that has to go',
    ['upkeep.ts', 'if (pod !== undefined && !isMoving) return', "if (pod?.name === '' && !isMoving) return"],
    [
      'upkeep.ts',
      'placed > replicas || !isRolledOut(deployment) ? Math.max(replicas, deployment.replicas) : replicas',
      'replicas',
    ],
  ),
  mutation('keeps what it made for nodes that left', [
    'upkeep.ts',
    'if (deployment !== undefined) return deployment.deleting ? [] :',
    "if (deployment !== undefined) return deployment.name !== '' ? [] :",
  ]),
]
