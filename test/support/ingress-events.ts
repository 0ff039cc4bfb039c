import { formatClaims, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import { OP_ANNOTATION } from '../../src/ingress/decide/op.ts'
import type { IngressToy, ToyNode } from './ingress-toy.ts'
import { aClusterNode, DEPLOYMENT_MARK, NODE_MARK } from './ingress-world.ts'

const PERSON = formatClaims([{ owner: 'person/jo', id: 'x' }])
const TORN = '{"version"'

function setOnNode({ node }: ToyNode, key: string, value?: string): void {
  if (node === undefined) return
  const { [key]: _old, ...rest } = node.annotations
  node.annotations = value === undefined ? rest : { ...rest, [key]: value }
}

function setClaims(one: ToyNode, value?: string): void {
  setOnNode(one, MAINTENANCE_ANNOTATION, value)
  one.askedSince = undefined
}

function setOnDeployment({ deployment }: ToyNode, key: string, value?: string): void {
  if (deployment === undefined) return
  const { [key]: _old, ...rest } = deployment.annotations
  deployment.annotations = value === undefined ? rest : { ...rest, [key]: value }
}

const setNode = (one: ToyNode, change: { readonly ready?: 'True' | 'Unknown'; readonly unschedulable?: boolean }) =>
  void (one.node !== undefined && Object.assign(one.node, change))

function dropSlots(toy: IngressToy, which: (slot: { readonly node: string; readonly ours: boolean }) => boolean): void {
  for (const [index, slot] of toy.slots) if (which(slot)) toy.slots.delete(index)
}

/** A roll counts all nodes that are out, as every owner does. */
function slotOfRoll(toy: IngressToy, { name }: ToyNode): void {
  const index = [...Array(toy.budget).keys()].find((free) => !toy.slots.has(free))
  const isTaken = [...toy.slots.values()].some(({ node }) => node === name)
  const others = toy.out().filter(({ node }) => node !== name)
  if (index === undefined || isTaken || others.length >= toy.budget) return
  toy.slots.set(index, { node: name, ours: false, at: toy.now })
}

function markOfOthers(one: ToyNode): void {
  if (one.node === undefined || NODE_MARK.key in one.node.annotations) return
  setOnNode(one, NODE_MARK.key, 'kured')
  one.foreignMark = true
}

/** All that may happen to a node, and to what stands on it. */
export const EVENTS: Readonly<Record<string, (toy: IngressToy, one: ToyNode) => void>> = {
  nothing: () => undefined,
  'new revision': (toy) => {
    toy.wanted = `r${toy.now}`
  },
  'bad revision': (toy) => {
    toy.wanted = `r${toy.now}`
    toy.bad.add(toy.wanted)
  },
  'not Ready': (_toy, one) => setNode(one, { ready: 'Unknown' }),
  Ready: (_toy, one) => setNode(one, { ready: 'True' }),
  cordon: (_toy, one) => setNode(one, { unschedulable: true }),
  uncordon: (_toy, one) => setNode(one, { unschedulable: false }),
  'claim of a person': (_toy, one) => {
    if (one.node !== undefined && !(MAINTENANCE_ANNOTATION in one.node.annotations)) setClaims(one, PERSON)
  },
  'no claims': (_toy, one) => setClaims(one),
  // Claims that cannot be read ask for the node to be out as well.
  'torn claims': (_toy, one) => setOnNode(one, MAINTENANCE_ANNOTATION, TORN),
  'slot of a roll': slotOfRoll,
  'no slots of rolls': (toy) => dropSlots(toy, ({ ours }) => !ours),
  'lost slot': (toy, { name }) => dropSlots(toy, ({ node, ours }) => ours && node === name),
  'mark of others': (_toy, one) => markOfOthers(one),
  'torn operation': (_toy, one) => setOnDeployment(one, OP_ANNOTATION, '{"version":1,"id"'),
  'lost operation': (_toy, one) => setOnDeployment(one, OP_ANNOTATION),
  'lost mark': (_toy, one) => {
    setOnDeployment(one, DEPLOYMENT_MARK.key)
    one.askedSince = undefined
  },
  'pods fail': (_toy, { deployment }) =>
    void (deployment !== undefined && Object.assign(deployment, { failedPods: 5 })),
  'pods fail no more': (_toy, { deployment }) =>
    void (deployment !== undefined && Object.assign(deployment, { failedPods: 0 })),
  'lost Deployment': (_toy, one) => {
    one.deployment = undefined
  },
  leave: (_toy, one) => {
    one.eligibility = 'Leave'
  },
  run: (_toy, one) => {
    one.eligibility = 'Run'
  },
  gone: (_toy, one) => {
    one.node = undefined
    one.askedSince = undefined
  },
  'a long time': (toy) => toy.tick(700_000),
}

/** No fault is left, and a good revision is wanted. */
export function heal(toy: IngressToy): void {
  toy.wanted = 'good'
  for (const [at, one] of toy.nodes.entries()) {
    one.eligibility = 'Run'
    one.node ??= aClusterNode(one.name, { labels: { 'topology.kubernetes.io/zone': `z${at % 2}` } })
    setNode(one, { ready: 'True', unschedulable: false })
    const text = one.node.annotations[MAINTENANCE_ANNOTATION]
    if (text?.includes('person/jo') === true || text === TORN) setClaims(one)
    if (one.foreignMark) setOnNode(one, NODE_MARK.key)
    one.foreignMark = false
    EVENTS['pods fail no more']?.(toy, one)
  }
  dropSlots(toy, ({ ours }) => !ours)
}
