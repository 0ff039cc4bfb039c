import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  withClaim,
  withoutClaim,
} from '../../../src/ground/model/claims.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { IngressAction, NodeAction } from '../../../src/ingress/decide/action.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { formatOp, OP_ANNOTATION, parseOp } from '../../../src/ingress/decide/op.ts'
import { formatRejection } from '../../../src/ingress/decide/rejection.ts'
import {
  GAVE_UP_ANNOTATION,
  type IngressDeployment,
  type IngressSnapshot,
  REJECTED_ANNOTATION,
} from '../../../src/ingress/decide/snapshot.ts'
import { budgetNode } from '../../../src/service/decide/budget/budget-node.ts'
import { maxOut } from '../../../src/service/decide/budget/max-out.ts'
import { whoIsOut } from '../../../src/service/decide/budget/who-is-out.ts'
import {
  formatHolders,
  HOLDERS_ANNOTATION,
  parseHolders,
  withHolder,
  withoutHolder,
} from '../../../src/service/decide/detach-holders.ts'
import {
  ACKNOWLEDGEMENT,
  aClusterNode,
  aDeployment,
  anIngress,
  aSlot,
  DEPLOYMENT_MARK,
  NODE_MARK,
  NOW,
  OWNER,
  type SpecChange,
} from '../../support/ingress-world.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface ToyNode {
  readonly name: string
  node: Writable<Node> | undefined
  deployment: Writable<IngressDeployment> | undefined
  eligibility: 'Run' | 'Leave'
  pods: number
  /** It has served since its Deployment is there. */
  served: boolean
  /** Since when its claim and its mark stand without a break. */
  askedSince: number | undefined
  /** Others set the mark on the Node. */
  foreignMark: boolean
}

interface ToySetup {
  readonly spec: SpecChange
  readonly nodes: number
  readonly maxOut: number
}

type Changes = readonly (readonly [key: string, value: string | undefined])[]

function annotate(object: { annotations: Readonly<Record<string, string>> }, changes: Changes): void {
  const kept = Object.entries(object.annotations).filter(([key]) => changes.every(([changed]) => changed !== key))
  const set = changes.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  object.annotations = Object.fromEntries([...kept, ...set])
}

function onNode(node: Writable<Node>, action: NodeAction): void {
  const claims = claimsOf(node.annotations[MAINTENANCE_ANNOTATION])
  const asText = (of: typeof claims): string | undefined => (of.length === 0 ? undefined : formatClaims(of))
  const holders = parseHolders(node.annotations[HOLDERS_ANNOTATION])
  if (action.kind === 'claim') annotate(node, [[MAINTENANCE_ANNOTATION, asText(withClaim(claims, action.claim))]])
  if (action.kind === 'withdrawClaim')
    annotate(node, [[MAINTENANCE_ANNOTATION, asText(withoutClaim(claims, action.owner))]])
  if (action.kind === 'markNode') {
    annotate(node, [[HOLDERS_ANNOTATION, formatHolders(withHolder(holders, action))]])
    if (action.asked !== undefined) annotate(node, [[action.key, action.value]])
  }
  if (action.kind === 'unmarkNode') {
    annotate(node, [[HOLDERS_ANNOTATION, formatHolders(withoutHolder(holders, action))]])
    if (action.removesKey) annotate(node, [[action.key, undefined]])
  }
}

function onDeployment(deployment: Writable<IngressDeployment>, action: NodeAction): void {
  switch (action.kind) {
    case 'writeOp':
      annotate(deployment, [
        [OP_ANNOTATION, formatOp(action.op)],
        [GAVE_UP_ANNOTATION, undefined],
        ...(action.mark === undefined ? [] : [[action.mark.key, action.mark.value] as const]),
      ])
      break
    case 'clearOp':
      annotate(deployment, [[OP_ANNOTATION, undefined]])
      annotate(deployment, [[GAVE_UP_ANNOTATION, action.gaveUp]])
      break
    case 'unmarkDeployment':
      annotate(deployment, [[action.key, undefined]])
      break
    case 'applyTemplate': {
      annotate(deployment, [[REJECTED_ANNOTATION, undefined]])
      const pods = action.atOnce ? { updated: 0, ready: 0, available: 0, oldPods: 2 } : { updated: 1, oldPods: 1 }
      Object.assign(deployment, { revision: action.revision, replicas: action.replicas, ...pods })
      break
    }
    case 'scale':
      annotate(deployment, [[REJECTED_ANNOTATION, action.rejected && formatRejection(action.rejected)]])
      deployment.replicas = action.replicas
      break
    case 'setGate':
      deployment.gate = action.isOpen ? 'open' : 'closed'
      break
  }
}

function wrongWhileServing(one: ToyNode, action: NodeAction, isDetached: boolean): string[] {
  if (action.kind === 'unmarkNode' && action.removesKey && one.foreignMark) return ['the mark of others is taken away']
  if (isDetached || !one.served || one.node === undefined) return []
  if (action.kind === 'applyTemplate' && action.atOnce) return ['its pods change before it is detached']
  if (action.kind === 'deleteDeployment') return ['its pods go before it is detached']
  return action.kind === 'setGate' && action.isOpen ? ['its gate opens before it is detached'] : []
}

/** A world that is as small as can be: each write is done at once, and pods follow a step later. */
class IngressToy {
  now = NOW
  wanted = 'r1'
  readonly bad = new Set<string>()
  readonly nodes: ToyNode[]
  /** By index: for which node, and whether it is ours. */
  readonly slots = new Map<number, { node: string; ours: boolean; at: number }>()
  deleting = false
  finalized = false
  /** Wrong things that were done. */
  readonly faults: string[] = []
  readonly #setup: ToySetup

  constructor(setup: ToySetup) {
    this.#setup = setup
    this.nodes = Array.from({ length: setup.nodes }, (_, i) => ({
      name: `n${i}`,
      node: aClusterNode(`n${i}`, { labels: { 'topology.kubernetes.io/zone': `z${i % 2}` } }),
      deployment: undefined,
      eligibility: 'Run',
      pods: 0,
      served: false,
      askedSince: undefined,
      foreignMark: false,
    }))
  }

  get object() {
    return {
      ...anIngress(this.#setup.spec),
      deleting: this.deleting,
      finalizers: ['x', ...(this.finalized ? [] : ['evenkeel.dev/detached-nodes'])],
    }
  }

  get budget(): number {
    return maxOut({ kind: 'count', count: this.#setup.maxOut }, this.nodes.length)
  }

  out() {
    const slots = [...this.slots].map(([index, { node }]) => ({ index, node, owner: 'x' }))
    const nodes = this.nodes.flatMap(({ node }) => (node === undefined ? [] : [budgetNode({ ...node })]))
    return whoIsOut({ nodes, places: [], cordons: 'unknown', slots, returning: new Set() })
  }

  snapshot(): IngressSnapshot {
    return {
      object: this.object,
      now: wallMs(this.now),
      isFresh: true,
      revisions: { desired: this.wanted, current: 'r1', promoted: this.wanted },
      budget: {
        limit: { kind: 'count', count: this.#setup.maxOut },
        fleet: this.nodes.length,
        out: this.out(),
        slots: [...this.slots].map(([index, { node }]) => aSlot(index, node)),
      },
      nodes: this.nodes.map(({ name, node, deployment, eligibility, pods }) => ({
        name,
        eligibility,
        isGoing: false,
        pods,
        slot: this.#slotOf(name),
        ...(node === undefined ? {} : { node: { ...node } }),
        ...(deployment === undefined ? {} : { deployment: { ...deployment } }),
      })),
    }
  }

  #slotOf(name: string): IngressSnapshot['nodes'][number]['slot'] {
    const found = [...this.slots].find(([, { node }]) => node === name)
    if (found === undefined) return { kind: 'none' }
    const [index, { ours, at }] = found
    return ours ? { kind: 'ours', index, takenAt: wallMs(at) } : { kind: 'others', owner: 'run x' }
  }

  isServing({ node, deployment }: ToyNode): boolean {
    if (node === undefined || node.ready !== 'True' || deployment === undefined) return false
    const keys = [MAINTENANCE_ANNOTATION, ...(this.object.spec.detach.node === undefined ? [] : [NODE_MARK.key])]
    if (keys.some((key) => key in node.annotations)) return false
    return !(DEPLOYMENT_MARK.key in deployment.annotations) && deployment.available >= 2
  }

  /** By this object, apart from new nodes. */
  isUnderWay({ deployment, node }: ToyNode): boolean {
    const word = parseOp(deployment?.annotations[OP_ANNOTATION])
    const claims = claimsOf(node?.annotations[MAINTENANCE_ANNOTATION])
    return (word.kind === 'op' && word.op.isNew !== true) || claims.some(({ owner }) => owner === OWNER)
  }

  /** One step of time: pods come up where they can, detachers answer. */
  tick(ms = 5_000): void {
    this.now += ms
    for (const one of this.nodes) {
      this.#pods(one)
      this.#detacher(one)
      if (this.isServing(one)) one.served = true
    }
  }

  #pods(one: ToyNode): void {
    const { deployment, node } = one
    if (deployment === undefined || node === undefined) {
      one.pods = 0
      return
    }
    const comeUp = node.ready === 'True' && !node.unschedulable && !this.bad.has(deployment.revision)
    deployment.available = Math.min(deployment.ready, deployment.replicas)
    deployment.oldPods = 0
    deployment.updated = deployment.replicas
    deployment.ready = comeUp ? deployment.replicas : Math.min(deployment.ready, deployment.replicas)
    if (node.ready !== 'True') deployment.ready = deployment.available = 0
    one.pods = deployment.replicas
  }

  #detacher({ node }: ToyNode): void {
    const key = 'node-detacher.variant.run/detachment-timestamp'
    if (node === undefined) return
    const { [key]: stamp, ...annotations } = node.annotations
    if (!(NODE_MARK.key in node.annotations)) node.annotations = annotations
    else if (stamp === undefined) node.annotations = { ...annotations, [key]: new Date(this.now).toISOString() }
  }

  perform(action: IngressAction): void {
    if (action.kind === 'removeFinalizer') this.finalized = true
    if (!('node' in action)) return
    const one = this.nodes.find(({ name }) => name === action.node)
    assert.ok(one !== undefined)
    const before = { isServing: this.isServing(one), isUnderWay: this.isUnderWay(one) }
    this.#do(one, action)
    this.#judge(one, action, before)
    const asks = MAINTENANCE_ANNOTATION in (one.node?.annotations ?? {})
    const marked = DEPLOYMENT_MARK.key in (one.deployment?.annotations ?? {})
    one.askedSince = asks && marked ? (one.askedSince ?? this.now) : undefined
  }

  #do(one: ToyNode, action: NodeAction): void {
    if (action.kind === 'takeSlot') this.slots.set(action.index, { node: one.name, ours: true, at: this.now })
    if (action.kind === 'releaseSlot') this.slots.delete(action.index)
    if (action.kind === 'deleteDeployment') one.deployment = undefined
    if (action.kind === 'createDeployment') {
      const annotations = { [OP_ANNOTATION]: formatOp(action.op), [action.mark.key]: action.mark.value }
      const pods = { updated: 0, ready: 0, available: 0, runningPods: 0 }
      one.deployment = aDeployment({ revision: action.revision, annotations, ...pods, gate: 'absent' })
      one.served = false
    }
    if (one.node !== undefined) onNode(one.node, action)
    if (one.deployment !== undefined) onDeployment(one.deployment, action)
  }

  /** What may not be, whatever happens: by rules that are not those of the decision. */
  #judge(one: ToyNode, action: NodeAction, before: { isServing: boolean; isUnderWay: boolean }): void {
    const isBegun = action.kind === 'writeOp' && !before.isUnderWay && before.isServing && action.mark !== undefined
    const isDetached = this.now - (one.askedSince ?? this.now) >= DEPLOYMENT_MARK.graceMs
    const wrong = [...(isBegun ? this.#wrongBeginning(one) : []), ...wrongWhileServing(one, action, isDetached)]
    if (action.kind === 'applyTemplate' && one.served && this.#slotOf(one.name).kind === 'none') wrong.push('no slot')
    this.faults.push(...wrong.map((text) => `${action.kind} ${one.name}: ${text}`))
  }

  #wrongBeginning({ name }: ToyNode): string[] {
    const { strategy, rollout } = this.object.spec
    const limit = strategy.kind === 'detach' ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes
    const others = this.out().filter(({ node }) => node !== name).length
    const underWay = this.nodes.filter((node) => this.isUnderWay(node)).length
    const serving = this.nodes.filter((node) => this.isServing(node)).length
    return [
      ...(underWay > (limit.kind === 'count' ? limit.count : 1) ? ['more under way than may be'] : []),
      ...(serving < rollout.minInServiceNodes ? ['too few serve'] : []),
      ...(others >= this.budget ? ['over the node budget'] : []),
    ]
  }

  /** What is left of this object on nodes and in slots. */
  left(): readonly string[] {
    return [
      ...this.nodes.flatMap(({ name, node }) => {
        const { [MAINTENANCE_ANNOTATION]: claims, [HOLDERS_ANNOTATION]: holders } = node?.annotations ?? {}
        const own = claimsOf(claims).some(({ owner }) => owner === OWNER)
        return [...(own ? [`claim on ${name}`] : []), ...(holders === undefined ? [] : [`holder on ${name}`])]
      }),
      ...[...this.slots].filter(([, { ours }]) => ours).map(([index]) => `slot ${index}`),
    ]
  }
}

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
const EVENTS: Readonly<Record<string, (toy: IngressToy, one: ToyNode) => void>> = {
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
function heal(toy: IngressToy): void {
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

const setups = fc
  .record({
    nodes: fc.integer({ min: 1, max: 6 }),
    maxOut: fc.integer({ min: 1, max: 3 }),
    most: fc.integer({ min: 1, max: 3 }),
    min: fc.integer({ min: 0, max: 2 }),
    inPlace: fc.boolean(),
    byNode: fc.boolean(),
    onTimeout: fc.constantFrom('Pause', 'Proceed', 'Abort'),
    onCordon: fc.constantFrom('Detach', 'DetachAndScaleDown', 'Ignore'),
    first: fc.boolean(),
  } as const)
  .map(({ nodes, maxOut, most, min, inPlace, byNode, onTimeout, onCordon, first }) => {
    const spec: SpecChange = {
      onCordon,
      strategy: inPlace
        ? {
            kind: 'inPlace',
            maxDegradedNodes: { kind: 'count', count: most },
            maxUnavailablePods: { kind: 'count', count: 1 },
            maxSurgedPods: { kind: 'count', count: 0 },
          }
        : { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: most } },
      rollout: { minInServiceNodes: Math.min(min, nodes - 1), replaceUnavailableFirst: first },
      detach: { onTimeout, ...(byNode ? { node: NODE_MARK, acknowledgement: ACKNOWLEDGEMENT } : {}) },
    }
    return { nodes, maxOut, spec }
  })

const lives = fc.array(
  fc.record({
    event: fc.constantFrom('nothing', ...Object.keys(EVENTS)),
    node: fc.nat({ max: 5 }),
    /** How many of the writes are done before the process is killed. */
    writes: fc.constantFrom(0, 1, 2, 9, 9, 9),
    passes: fc.integer({ min: 1, max: 6 }),
  }),
  { maxLength: 40 },
)

type Life = typeof lives extends fc.Arbitrary<infer L> ? L : never
type Setup = typeof setups extends fc.Arbitrary<infer S> ? S : never

function pass(toy: IngressToy, writes = 99): boolean {
  toy.tick()
  const decision = decideIngress(toy.snapshot())
  assert.ok(decision.reasons.length > 0)
  if (decision.kind !== 'act') return false
  for (const action of decision.actions.slice(0, writes)) toy.perform(action)
  return true
}

function live(setup: Setup, life: Life): IngressToy {
  const toy = new IngressToy(setup)
  for (let i = 0; i < 20; i += 1) pass(toy)
  for (const { event, node, writes, passes } of life) {
    const one = toy.nodes[node % toy.nodes.length]
    assert.ok(one !== undefined)
    EVENTS[event]?.(toy, one)
    for (let i = 0; i < passes; i += 1) pass(toy, writes)
  }
  return toy
}

const runs = { numRuns: 400 }

test('law: a rollout takes no node out beyond the limit of its object or the node budget, whatever has the others out; and none whose pods change before it is detached', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => assert.deepEqual(live(setup, life).faults, [])),
    runs,
  )
})

const ONE_NODE: Setup = {
  ...{ nodes: 1, maxOut: 1 },
  spec: {
    onCordon: 'Detach',
    strategy: { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 1 } },
    rollout: { minInServiceNodes: 0, replaceUnavailableFirst: false },
    detach: { onTimeout: 'Pause' },
  },
}

test('a mark and then the operation are removed by others: the gate of a cordoned node waits for the grace of the mark that was set again', () => {
  const life: Life = [
    { event: 'cordon', node: 0, writes: 2, passes: 3 },
    { event: 'lost mark', node: 0, writes: 9, passes: 1 },
    { event: 'lost operation', node: 0, writes: 1, passes: 12 },
  ]
  const toy = live(ONE_NODE, life)
  assert.deepEqual(toy.faults, [])
  assert.equal(toy.nodes[0]?.deployment?.gate, 'open')
})

test('the claim of a node is removed before its pods change, and then no claim there can be read: its pods wait until it is claimed anew', () => {
  const life: Life = [
    { event: 'new revision', node: 0, writes: 0, passes: 1 },
    { event: 'nothing', node: 0, writes: 9, passes: 9 },
    { event: 'no claims', node: 0, writes: 0, passes: 1 },
    { event: 'torn claims', node: 0, writes: 0, passes: 1 },
    { event: 'nothing', node: 0, writes: 9, passes: 9 },
  ]
  const toy = live(ONE_NODE, life)
  assert.deepEqual(toy.faults, [])
  assert.equal(toy.nodes[0]?.deployment?.revision, 'r1')
})

test('once faults stop, every node has the wanted revision and nothing of ours is left on it', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const toy = live(setup, life)
      heal(toy)
      for (let i = 0; i < 600; i += 1) pass(toy)
      assert.deepEqual(toy.left(), [])
      assert.deepEqual(toy.faults, [])
      assert.deepEqual(
        toy.nodes.map(({ deployment }) => [deployment?.revision, deployment?.available, deployment?.gate]),
        toy.nodes.map(() => ['good', 2, 'closed']),
      )
      assert.ok(toy.nodes.every((one) => toy.isServing(one) && !toy.isUnderWay(one)))
    }),
    { numRuns: 150 },
  )
})

test('law: nothing of an IngressDaemonSet is left on a Node once the object is gone', () => {
  fc.assert(
    fc.property(setups, lives, (setup, life) => {
      const toy = live(setup, life)
      toy.deleting = true
      for (let i = 0; i < 40; i += 1) pass(toy)
      assert.ok(toy.finalized)
      assert.deepEqual(toy.left(), [])
      assert.deepEqual(toy.faults, [])
    }),
    runs,
  )
})
