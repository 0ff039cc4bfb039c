import { firstOf } from '../../../ground/model/first-of.ts'
import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import { selectNodes } from '../../../roll/decide/plan/select-nodes.ts'
import { balancedNodes } from './choose-backends.ts'
import { type Answers, answerTo, isYes, oneOf, type Question, yesOrNo } from './init-question.ts'
import type { InitSnapshot } from './init-snapshot.ts'
import type { Field, Part } from './roll-file-outline.ts'

const WORKER = 'node-role.kubernetes.io/worker'
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

interface RoleChoice {
  /** Absent: the nodes cannot be read. */
  readonly nodes?: readonly Node[]
  /** The selector of the nodes; absent: all nodes of the cluster. */
  readonly selector?: string
  readonly questions: readonly Question[]
  readonly found: readonly string[]
}

/** Which nodes are rolled, before it is known which of them are behind a balancer. */
export function chooseRole(snapshot: InitSnapshot, answers: Answers): RoleChoice {
  const { nodes } = snapshot
  if (nodes.is === 'failed') return { questions: [], found: [] }
  const workers = nodes.value.filter((node) => !isControlPlane(node))
  const others = nodes.value.length - workers.length
  const found = [
    `${nodes.value.length} nodes: ${workers.length} workers, ${others} of the control plane`,
    ...notReady(nodes.value),
  ]
  if (others === 0 || workers.length === 0) return { nodes: nodes.value, questions: [], found }
  const behind = balancedNodes(snapshot, nodes.value.filter(isControlPlane))
  const question: Question = {
    id: 'nodes',
    about: 'nodes of the roll',
    why:
      behind.length === 0
        ? 'A node of the control plane runs a part of the Kubernetes API.'
        : `The balancers send to nodes of the control plane: ${firstOf(behind)}.`,
    ask: 'Which nodes does the roll reboot, workers or all?',
    preset: behind.length === 0 ? 'workers' : 'all',
    faultOf: oneOf(['workers', 'all']),
  }
  const questions = [question]
  if (answerTo(question, answers) === 'all') return { nodes: nodes.value, questions, found }
  return { nodes: workers, selector: workerSelector(nodes.value), questions, found }
}

function notReady(nodes: readonly Node[]): readonly string[] {
  const names = nodes.filter(({ ready }) => ready !== 'True').map(({ name }) => name)
  return names.length === 0 ? [] : [`not Ready: ${firstOf(names)}; a roll holds until these nodes are Ready`]
}

function workerSelector(nodes: readonly Node[]): string {
  const isLabelled = nodes.every((node) => WORKER in node.labels !== isControlPlane(node))
  if (isLabelled) return WORKER
  const used = CONTROL_PLANE.filter((label) => nodes.some(({ labels }) => label in labels))
  return used.map((label) => `!${label}`).join(',')
}

interface Balanced {
  readonly role: RoleChoice
  /** The balancers of the file have servers of these nodes; absent: the file has no balancer. */
  readonly nodes?: readonly string[]
}

interface NodeChoice extends Part {
  /** The nodes that are rolled; absent: not known. */
  readonly nodes?: readonly Node[]
  readonly questions: readonly Question[]
}

/** `spec.nodes`. */
export function chooseNodes(snapshot: InitSnapshot, { role, nodes: balanced }: Balanced, answers: Answers): NodeChoice {
  const { nodes, found } = role
  if (nodes === undefined) return unreadable(snapshot)
  const chosen = selectionOf(role)
  const all = snapshot.nodes.is === 'found' ? snapshot.nodes.value : []
  if (balanced === undefined) return { nodes, questions: [], found, ...unbalanced(snapshot, chosen) }
  const [inside, outside] = [
    nodes.filter(({ name }) => balanced.includes(name)),
    nodes.filter(({ name }) => !balanced.includes(name)),
  ]
  if (outside.length === 0) return { fields: [chosen], nodes, questions: [], found, leftOut: [] }
  const names = firstOf(outside.map(({ name }) => name))
  const question: Question = {
    id: 'unbalanced',
    about: 'roll the nodes that match no server',
    why: `No server of a balancer has the address of ${names}: nothing takes these nodes out of traffic.`,
    ask: 'Does the roll reboot these nodes too? y or n',
    preset: 'n',
    faultOf: yesOrNo,
  }
  const questions = [question]
  if (isYes(answerTo(question, answers))) {
    const comment = `${names} match no server of a balancer. They are rolled without a detach, because you said so.`
    const fields = [chosen, { key: 'allowUnbalanced', value: true, comment }]
    return { fields, nodes, questions, found, leftOut: [] }
  }
  return {
    fields: [onlyField(inside, { others: all, outside: names })],
    nodes: inside,
    questions,
    found,
    leftOut: [
      { what: `${outside.length === 1 ? 'node' : 'nodes'} ${names}`, why: 'no server of a balancer leads there' },
    ],
  }
}

interface Around {
  /** Every node of the cluster. */
  readonly others: readonly Node[]
  /** The names of nodes that match no server. */
  readonly outside: string
}

/** By a role that only they have, which a new node gets too; otherwise by name. */
function onlyField(inside: readonly Node[], { others, outside }: Around): Field {
  const roles = Object.keys(inside[0]?.labels ?? {}).filter((label) => label.startsWith('node-role.kubernetes.io/'))
  const own = roles
    .filter((role) => others.every((node) => role in node.labels === inside.includes(node)))
    .toSorted((one, other) => Number(CONTROL_PLANE.includes(one)) - Number(CONTROL_PLANE.includes(other)))
  const why = `${outside} match no server and are left out.`
  const [role] = own
  if (role !== undefined) {
    return { key: 'selector', value: role, comment: `The ${inside.length} nodes that the balancers send to. ${why}` }
  }
  const { nodes } = selectNodes({ names: [], all: true, allowUnbalanced: false }, inside)
  const comment = `The nodes that the balancers send to, in the order of the roll. ${why}`
  return { key: 'names', value: nodes.map(({ name }) => name), comment }
}

function selectionOf({ selector, nodes = [] }: RoleChoice): Field {
  if (selector === undefined) return { key: 'all', value: true, comment: `All ${nodes.length} nodes of the cluster.` }
  const comment = `The ${nodes.length} workers: ${firstOf(nodes.map(({ name }) => name))}.`
  return { key: 'selector', value: selector, comment }
}

function unbalanced({ noBalancer }: InitSnapshot, chosen: Field): Omit<Part, 'found'> {
  const field = { key: 'allowUnbalanced', value: true }
  if (noBalancer) {
    const comment = 'The cluster has no load balancer that a roll must control. Each node is rolled without a detach.'
    return { fields: [chosen, { ...field, comment }], leftOut: [] }
  }
  const comment =
    'Without a balancer below, the plan refuses each node, since nothing would take it out of traffic. Use this line only if no load balancer sends to the nodes.'
  return { fields: [chosen, { ...field, comment, off: true }], leftOut: [] }
}

function unreadable({ nodes }: InitSnapshot): NodeChoice {
  const why = nodes.is === 'failed' ? nodes.text : ''
  const comment = `The nodes could not be read: ${why}. Choose them here, or run init again with the right to list nodes.`
  return {
    fields: [{ key: 'selector', value: WORKER, comment, off: true }],
    questions: [],
    found: [],
    leftOut: [{ what: 'nodes', why }],
  }
}
