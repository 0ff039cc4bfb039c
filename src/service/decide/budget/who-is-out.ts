import { kubectl, say } from '../../../ground/model/sentence.ts'
import { addressesOut, goesByMarks, isAtOneOut, servesNothing } from './serves-nothing.ts'
import type { BudgetNode, BudgetSnapshot, NodeOut, OthersSlot, WhyOut } from './snapshot.ts'

/**
 * Which nodes serve nothing or are about to, and for which owner. The roll, the brake and `evenkeel budget` use this. A node
 * counts once, whatever the number of reasons. A cordon that takes nothing out does not count. A slot counts even if its node
 * was deleted: its holder goes on when the Node comes back.
 *
 * Law: which nodes are out is one answer for every roll, the brake and `evenkeel budget`.
 */
export function whoIsOut(s: BudgetSnapshot): readonly NodeOut[] {
  const slots = Map.groupBy(s.slots, ({ index, node }) => node ?? `slot ${index}`)
  const unlisted = new Map(slots)
  const out: NodeOut[] = []
  // Of thousands of nodes nearly all are in service, and each pass asks.
  const addresses = addressesOut(s.places)
  for (const node of s.nodes) {
    const held = slots.get(node.name)
    const isIn = isQuiet(node) && !isAtOneOut(node.addresses, addresses) && !s.returning.has(node.name)
    if (held === undefined && isIn) continue
    unlisted.delete(node.name)
    out.push(...asOut(node.name, whyOut(node, s, held ?? NO_SLOTS)))
  }
  for (const [name, held] of unlisted) out.push(...asOut(name, held.map(unlistedSlot)))
  return out
}

/** Nothing on the Node itself shows that it is out, or may be. */
const isQuiet = ({ ready, recordOf, claimedBy, cordoned, leaving, excluded }: BudgetNode): boolean =>
  ready === 'True' &&
  recordOf === undefined &&
  claimedBy === undefined &&
  leaving === undefined &&
  !cordoned &&
  !excluded

const NO_SLOTS: readonly OthersSlot[] = []

const asOut = (node: string, [first, ...more]: readonly WhyOut[]): readonly NodeOut[] =>
  first === undefined ? [] : [{ node, why: [first, ...more] }]

const unlistedSlot = ({ index, node, owner }: OthersSlot): WhyOut => ({
  kind: 'slot',
  text:
    node === undefined
      ? `is held by ${owner} for no node that it names`
      : `is in no list of nodes: ${owner} holds slot ${index} for it`,
})

function whyOut(node: BudgetNode, s: BudgetSnapshot, slots: readonly OthersSlot[]): readonly WhyOut[] {
  const why: WhyOut[] = []
  if (node.ready !== 'True') why.push({ kind: 'notReady', text: `is not Ready (Ready is ${node.ready})` })
  if (node.recordOf !== undefined) why.push(recorded(node.recordOf))
  if (node.claimedBy !== undefined) why.push({ kind: 'claimed', text: `is claimed by ${node.claimedBy}` })
  const served = servesNothing(node, s.places)
  if (served === 'detached') why.push({ kind: 'detached', text: 'is detached from every balancer' })
  if (served === 'down') why.push({ kind: 'down', text: 'is down by the checks of every balancer that sends to it' })
  if (node.cordoned && doCordonsCount(node, s)) why.push(cordonedOut(node, s))
  if (node.leaving !== undefined) why.push({ kind: 'leaving', text: node.leaving })
  if (node.excluded && doLabelsCount(node, s))
    why.push({ kind: 'leaving', text: 'has the label that keeps it out of load balancers' })
  for (const { index, owner } of slots)
    why.push({ kind: 'slot', text: `is about to leave: ${owner} holds slot ${index} for it` })
  if (s.returning.has(node.name)) why.push({ kind: 'returning', text: 'was out until a moment ago' })
  return why
}

/**
 * A cordon is rare and meant: it counts also where the agent has never answered, for it may have taken the node out before it went away.
 * A node that no agent is for, such as one of Windows, reads the same.
 */
const doCordonsCount = ({ name, addresses }: BudgetNode, { cordons, places }: BudgetSnapshot): boolean =>
  typeof cordons === 'object'
    ? cordons.granted.includes(name)
    : cordons === 'noBrake' && goesByMarks(addresses, places) !== 'no'

/**
 * kubeadm's control planes bear the label for good: it takes a node out only where an agent goes by it. Where another program
 * goes by it, the node's servers show that.
 */
const doLabelsCount = ({ addresses }: BudgetNode, { places }: BudgetSnapshot): boolean =>
  goesByMarks(addresses, places) === 'yes'

function recorded(of: NonNullable<BudgetNode['recordOf']>): WhyOut {
  if (of === 'unreadable') return { kind: 'recorded', text: 'has a record that cannot be read' }
  if (of === 'unread') return { kind: 'recorded', text: 'has the record of a roll' }
  return { kind: 'recorded', text: `has the record of run ${of.run}`, run: of.run }
}

function cordonedOut({ name, addresses }: BudgetNode, { cordons, places }: BudgetSnapshot): WhyOut {
  if (cordons !== 'noBrake') return { kind: 'cordoned', text: 'is cordoned, and its cordon is granted' }
  const text = 'is cordoned, and no brake holds that back'
  if (goesByMarks(addresses, places) !== 'unknown') return { kind: 'cordoned', text }
  return {
    kind: 'cordoned',
    text: `${text}; no agent has answered for it, so one may have taken it out`,
    next: say`let its agent run; or where it has none: ${kubectl`uncordon ${name}`}, or raise maxOut by one`,
  }
}
