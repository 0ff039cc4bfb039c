import type { EvictionAnswer } from '../../src/ground/model/eviction.ts'
import type { RebootAnswer } from '../../src/ground/model/host.ts'
import type { Node } from '../../src/ground/model/node.ts'
import type { WorldError } from '../../src/ground/model/world-error.ts'
import type { Cluster, PodChange, PodVersion } from '../../src/ground/ports/cluster.ts'
import type { HostTarget } from '../../src/ground/ports/host.ts'
import { Performer } from '../../src/roll/run/perform.ts'
import type { Action } from '../../src/service/model/action.ts'
import type { AdminState, ServerRef } from '../../src/service/model/balancer.ts'
import { formatRecord, OUT_TAINT, RECORD_ANNOTATION } from '../../src/service/model/node-record.ts'
import type { Outcome } from '../../src/service/model/outcome.ts'
import { LeaseKeeper } from '../../src/service/run/lease-keeper.ts'
import { type LeaseClient, LeaseStore } from './lease-store.ts'
import { NodeStore, type StoredNode } from './node-store.ts'
import { aRecord } from './roll-world.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

const never = new AbortController().signal
export const BOOT = '11111111-1111-4111-8111-111111111111'
export const OTHER_BOOT = '22222222-2222-4222-8222-222222222222'
export const SLOT = { namespace: 'evenkeel', name: 'slot-0' }
const REF: ServerRef = { instance: 'lb-1', backend: 'web', server: 'n1' }
export const SLOT_MS = 30_000

const POD = { node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', asOf: '7' }

/** Of every kind that does something to a node, one. */
export const EFFECTS: readonly Action[] = [
  { kind: 'writeRecord', node: 'n1', record: aRecord() },
  { kind: 'cordon', node: 'n1' },
  { kind: 'uncordon', node: 'n1' },
  { kind: 'addTaint', node: 'n1', taint: OUT_TAINT },
  { kind: 'removeTaint', node: 'n1', taint: OUT_TAINT },
  { kind: 'setServer', node: 'n1', balancer: 'edge', ref: REF, state: 'drain', restores: false },
  { kind: 'askAgent', node: 'n1', balancer: 'edge', ref: REF, state: 'drain', restores: false },
  {
    kind: 'askDetacher',
    node: 'n1',
    balancer: 'edge',
    ref: REF,
    key: 'example.com/detach',
    value: 'evenkeel',
    state: 'drain',
    restores: false,
  },
  { kind: 'cutSessions', node: 'n1', balancer: 'edge', ref: REF, sessions: 1 },
  { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 },
  { kind: 'deletePod', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 },
  {
    ...POD,
    kind: 'releasePod',
    labels: { 'pod-template-hash': 'evenkeel-leaving' },
    mark: { version: 1, run: 'run-1', node: 'n1', workload: 'Deployment shop/cart', labels: { app: 'cart' } },
  },
  { ...POD, kind: 'withdrawPod', labels: { app: 'evenkeel-leaving' } },
  { ...POD, kind: 'giveBackPod', labels: { app: 'cart' } },
  { kind: 'writeIntent', node: 'n1', bootId: BOOT },
  { kind: 'sendReboot', node: 'n1', bootId: BOOT },
  { kind: 'removeRecord', node: 'n1' },
]

/** A world of one node, one balancer and one machine, with a performer that holds the slot. */
export class PerformWorld {
  readonly clock = new VirtualClock()
  readonly nodes = new NodeStore()
  readonly leases = new LeaseStore(this.clock)
  readonly slot: LeaseClient
  readonly #keeper: LeaseKeeper
  readonly #performer: Performer
  #state: AdminState = 'ready'
  #cuts = 0
  #reboots = 0
  readonly #evicted: string[] = []
  /** What labels of pods were written, and of which version. */
  readonly relabelled: { readonly pod: PodVersion; readonly change: PodChange }[] = []
  /** What the machine says to a reboot, which it carries out only where it says so. */
  answer: RebootAnswer = { kind: 'sent' }
  /** What the API says to an eviction, and all that each was asked with. */
  eviction: EvictionAnswer = { kind: 'accepted' }
  readonly evictedWith: Parameters<Cluster['evict']>[1][] = []
  /** Uids of the pods that were deleted, past their budgets. */
  readonly deleted: string[] = []
  /** The Nodes of the cluster, as the watch shows them. */
  others: readonly Node[] = []
  /** How the API refuses to show the Node. */
  unread: WorldError | undefined
  /** The machines that a reboot was sent to. */
  readonly rebooted: HostTarget[] = []
  /** A balancer, or a machine, that hears and never answers. */
  hangs = false
  /** A bug in the code that speaks to the balancer and the machine: thrown by both. */
  bug: Error | undefined

  constructor(node: Partial<StoredNode> = {}) {
    const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()), team: 'ops' }
    this.nodes.make({ name: 'n1', bootId: BOOT, unschedulable: true, annotations, ...node })
    this.slot = this.leases.client()
    const random = new SeededRandom(1)
    const { clock } = this
    const cluster = this.slot
    const parts = { cluster, clock, random, slot: SLOT, run: 'run-1', nonce: 'p1', durationMs: SLOT_MS }
    this.#keeper = new LeaseKeeper({ ...parts, onChange: () => undefined })
    this.#performer = new Performer({
      run: 'run-1',
      cluster: {
        readNode: (name) => (this.unread === undefined ? this.nodes.readNode(name) : Promise.reject(this.unread)),
        patchNode: (name, patch) => this.nodes.patchNode(name, patch),
        relabelPod: async (pod, change) => {
          this.relabelled.push({ pod, change })
        },
        deletePod: async ({ uid }) => {
          this.deleted.push(uid)
          return this.eviction
        },
        evict: (pod, options) => this.#evict(`${pod.namespace}/${pod.name}`, options),
      },
      view: { reading: () => ({ nodes: this.others }) },
      balancers: [this.#balancer()],
      host: {
        check: () => Promise.reject(new Error('nobody asks')),
        reboot: (target, _bootId, signal) => this.#reboot(target, signal),
        ownBootId: () => Promise.resolve(undefined),
        close: () => Promise.resolve(),
      },
      keeper: this.#keeper,
      clock,
      random,
    })
  }

  /** Takes the slot, which only a test renews that asks for it. */
  async hold(): Promise<this> {
    await this.perform({ kind: 'takeSlot', node: 'n1', takeStale: false, restores: false })
    return this
  }

  perform(action: Action): Promise<Outcome> {
    return this.#performer.perform(action, never)
  }

  /** All that an effect could have changed. */
  seen(): object {
    const { nodes } = this
    return {
      node: nodes.seen('n1'),
      state: this.#state,
      cuts: this.#cuts,
      reboots: this.#reboots,
      evicted: [...this.#evicted],
      deleted: [...this.deleted],
      relabelled: [...this.relabelled],
    }
  }

  #balancer() {
    const unasked = () => Promise.reject(new Error('nobody asks'))
    return {
      name: 'edge',
      instances: ['lb-1'],
      read: unasked,
      inspect: unasked,
      setState: (_ref: ServerRef, state: AdminState, signal: AbortSignal) => this.#setState(state, signal),
      cutSessions: async () => {
        this.#cuts += 1
      },
    }
  }

  #setState(state: AdminState, signal: AbortSignal): Promise<void> {
    if (this.bug !== undefined) return Promise.reject(this.bug)
    if (this.hangs) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    this.#state = state
    return Promise.resolve()
  }

  #evict(pod: string, options: Parameters<Cluster['evict']>[1]): Promise<EvictionAnswer> {
    this.#evicted.push(pod)
    this.evictedWith.push(options)
    return Promise.resolve(this.eviction)
  }

  #reboot(target: HostTarget, signal: AbortSignal): Promise<RebootAnswer> {
    this.rebooted.push(target)
    if (this.bug !== undefined) return Promise.reject(this.bug)
    if (this.hangs) {
      this.#reboots += 1
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    if (this.answer.kind === 'sent') this.#reboots += 1
    return Promise.resolve(this.answer)
  }
}
