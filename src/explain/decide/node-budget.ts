import { evenkeel, plainText } from '../../ground/model/sentence.ts'
import type { BudgetStatus } from '../../service/decide/budget/budget-status.ts'
import { type ExplainFinding, finding, type Next, nextText } from './finding.ts'
import { type NodeScene, slotFor } from './node-scene.ts'

type OutNode = BudgetStatus['out'][number]

/** Whether the node budget counts the node, or keeps it from leaving. */
export function nodeBudget(s: NodeScene): readonly ExplainFinding[] {
  const { budget, node } = s
  const base = { part: 'budget', subject: node.name } as const
  if (budget === undefined) return []
  if ('fault' in budget)
    return [
      finding({
        ...{ ...base, is: 'stuck', code: 'MaxOutInvalid', text: `no node may be taken out: ${budget.fault}` },
        next: [nextText(budget.next, 'with the number that you want')],
      }),
    ]
  const mine = budget.out.find((one) => one.node === node.name)
  const others = budget.out.filter((one) => one !== mine).map(outText)
  const maybe = budget.mayBeOut.find((one) => one.node === node.name)
  const limit = `${budget.out.length} of ${budget.nodes} nodes ${budget.out.length === 1 ? 'is' : 'are'} out or about to be, and at most ${budget.maxOut} may be`
  if (mine !== undefined)
    return [
      finding({
        ...{ ...base, is: 'fact', code: 'CountsAsOut', evidence: [limit, ...others] },
        text: `${node.name} counts as out: it ${mine.why.join(', and ')}`,
      }),
    ]
  if (maybe !== undefined)
    return [
      finding({
        ...{ ...base, is: 'fact', code: 'MayCountAsOut', evidence: [limit, ...others] },
        text: `${node.name} may count as out, since it ${maybe.why.join(', and ')}: a roll that queries its agent knows`,
      }),
    ]
  if (budget.more > 0)
    return [
      finding({ ...base, is: 'fact', code: 'BudgetFree', text: `the budget lets ${budget.more} more leave: ${limit}` }),
    ]
  return [
    finding({
      ...{ ...base, is: 'waits', code: 'BudgetUsedUp' },
      text: `the node budget is used up, so no other node may leave: ${limit}`,
      evidence: [...others, ...budget.mayBeOut.map((one) => `${one.node} may be out: it ${one.why.join(', and ')}`)],
      next: nextOf(s),
    }),
  ]
}

const outText = ({ node, why, owner, since }: OutNode): string => {
  const text = `${node} ${why.join(', and ')}`
  const forWhom = owner === undefined || text.includes(owner) ? '' : `, for ${owner}`
  return `${text}${forWhom}${since === undefined ? '' : `, since ${since}`}`
}

function nextOf({ budget }: NodeScene): readonly Next[] {
  if (budget === undefined || 'fault' in budget) return []
  const [first] = budget.out
  const left = budget.slots.flatMap((slot) => (slot.left === undefined ? [] : [slot]))
  return [
    ...(first === undefined || first.node.startsWith('slot ')
      ? []
      : [{ command: evenkeel`explain node ${first.node}`, note: `what ${first.node} waits for` }]),
    ...left.flatMap(({ index, left: found }) =>
      found === undefined
        ? []
        : [{ command: found.command, note: `releases slot ${index}, if its holder is gone and its node is back` }],
    ),
    { command: evenkeel`budget`, note: 'all nodes that are out, and the slots' },
  ]
}

/** The holder of the node's slot, and what is known of that holder. */
export function slotEvidence(s: NodeScene): readonly string[] {
  const slot = slotFor(s)
  if (slot === undefined)
    return s.budget === undefined ? ['who holds the slots is not known'] : [`no slot is held for ${s.node.name}`]
  const doubt = slot.left?.why ?? slot.doubt
  return [
    `slot ${slot.index} is held for ${s.node.name} by ${slot.owner}${doubt === undefined ? '' : `: ${plainText(doubt)}`}`,
  ]
}
