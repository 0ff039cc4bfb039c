import { Backoff } from '../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { type EvictionAnswer, isAway } from '../../ground/model/eviction.ts'
import type { Node } from '../../ground/model/node.ts'
import { formatPoliteMark, POLITE_ANNOTATION } from '../../ground/model/polite-mark.ts'
import { present } from '../../ground/model/present.ts'
import { toIso } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Host } from '../../ground/ports/host.ts'
import type { Random } from '../../ground/ports/random.ts'
import {
  type Action,
  actionKey,
  type PoliteAction,
  type RemovalAction,
  removesPod,
} from '../../service/model/action.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import type { Balancer } from '../../service/ports/balancer.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { ClusterReading } from '../decide/snapshot.ts'
import type { HookRunner } from './hooks/hook-runner.ts'
import { startHook } from './hooks/start-hook.ts'
import { writeMark } from './marks-to-come.ts'
import { mustBearRecord, mustBeDraining, mustHaveOwnAddress, mustStillRest, nodeChanged } from './node-changed.ts'
import { type NodeWrite, nodePatch } from './node-write.ts'
import { EFFECT_LIMIT_MS, REBOOT_LIMIT_MS, SLOT_LAPSED, SlotBound, slotLapsed } from './slot-bound.ts'

interface PerformParts {
  readonly run: string
  readonly cluster: Pick<Cluster, 'readNode' | 'patchNode' | 'evict' | 'deletePod' | 'relabelPod'>
  readonly view: { readonly reading: () => Pick<ClusterReading, 'nodes'> }
  readonly balancers: readonly Balancer[]
  readonly host: Host
  readonly keeper: LeaseKeeper
  /** Absent: no hook can run. */
  readonly hooks?: Pick<HookRunner, 'start'>
  readonly clock: Clock
  readonly random: Random
}

/**
 * Does one action and says how it went; never decides. Each effect checks at the last moment what must still hold (the
 * slot renewed, the node's record ours, the boot id the recorded one), since the decision is a moment old by then.
 */
export class Performer {
  readonly #parts: PerformParts
  readonly #bound: SlotBound
  readonly #backoffs = new Map<string, Backoff>()

  constructor(parts: PerformParts) {
    this.#parts = parts
    this.#bound = new SlotBound(parts)
  }

  async perform(action: Action, signal: AbortSignal): Promise<Outcome> {
    const key = actionKey(action)
    try {
      const outcome =
        action.kind === 'sendReboot'
          ? await this.#sendReboot(action, signal)
          : await this.#limited(action, signal, (limited) => this.#do(action, limited))
      if (outcome.ok) this.#backoffs.delete(key)
      return outcome
    } catch (error) {
      if (error instanceof WorldError) return this.#failed(key, error.code, error)
      if (error instanceof DeadlineError) return this.#failed(key, 'DEADLINE', error)
      throw error
    }
  }

  /** What is asked of the slot itself has its own limit. */
  #limited<T>(action: Action, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const what = actionKey(action)
    if (action.kind !== 'takeSlot' && action.kind !== 'releaseSlot')
      return this.#bound.limited({ what, limitMs: limitOf(action) }, signal, work)
    return withDeadline({ clock: this.#parts.clock, limitMs: EFFECT_LIMIT_MS, signal, what }, work)
  }

  async #do(action: Exclude<Action, { kind: 'sendReboot' }>, signal: AbortSignal): Promise<Outcome> {
    if (action.kind === 'takeSlot') return this.#takeSlot(action, signal)
    if (action.kind === 'releaseSlot') return this.#releaseSlot(action, signal)
    if (removesPod(action)) return this.#remove(action, signal)
    switch (action.kind) {
      case 'setServer':
        await this.#balancer(action.balancer).setState(action.ref, action.state, signal)
        return { ok: true }
      case 'cutSessions':
        await this.#balancer(action.balancer).cutSessions(action.ref, signal)
        return { ok: true }
      case 'markToCome':
      case 'unmarkToCome':
        return writeMark(action, this.#parts, signal)
      case 'runHook':
      case 'undoHook':
        return startHook(action, this.#parts)
      case 'releasePod':
      case 'withdrawPod':
      case 'giveBackPod':
        return this.#relabel(action, signal)
      default:
        return this.#patch(action, signal)
    }
  }

  async #patch(action: NodeWrite, signal: AbortSignal): Promise<Outcome> {
    const { cluster, run, clock, random } = this.#parts
    if (action.kind === 'writeIntent') await this.#renewSlot(signal)
    const node = await this.#node(action.node, signal)
    if (action.kind === 'writeRecord' && RECORD_ANNOTATION in node.annotations)
      throw nodeChanged(node, 'has a record now')
    if (action.kind === 'writeRecord' && (action.asOf ?? node.resourceVersion) !== node.resourceVersion)
      throw nodeChanged(node, 'changed while the roll was recording its state')
    if (action.kind !== 'writeRecord') mustBearRecord(node, run)
    if (action.kind === 'writeIntent') mustStillRest(node, action.bootId)
    const stamp = { run, at: toIso(clock.wallMs()), id: random.hex(8) }
    const patch = nodePatch(action, node, stamp)
    return { ok: true, node: patch === undefined ? node : await cluster.patchNode(node.name, patch, signal) }
  }

  async #renewSlot(signal: AbortSignal): Promise<void> {
    const renewed = await this.#parts.keeper.renewNow(signal)
    if (renewed.kind === 'unanswered')
      throw new WorldError(`the slot could not be renewed: ${renewed.error.message}`, SLOT_LAPSED)
    if (renewed.kind !== 'renewed') throw slotLapsed
  }

  /** Renews first, so that the command has all the time that a slot can give. */
  async #sendReboot(action: Extract<Action, { kind: 'sendReboot' }>, signal: AbortSignal): Promise<Outcome> {
    const target = await this.#limited(action, signal, async (limited) => {
      await this.#renewSlot(limited)
      const node = await this.#node(action.node, limited)
      mustBearRecord(node, this.#parts.run)
      mustStillRest(node, action.bootId)
      mustHaveOwnAddress(node, this.#parts.view.reading().nodes)
      return { node: node.name, address: node.internalAddresses[0] ?? node.name }
    })
    const { bootId } = action
    const reboot = await this.#bound.reboot(actionKey(action), { target, bootId }, signal)
    if (reboot.kind !== 'refused') return { ok: true, reboot }
    const failed = this.#failed(actionKey(action), 'HOST_REFUSED', new Error(reboot.text))
    return { ...failed, reboot }
  }

  async #remove(action: RemovalAction, signal: AbortSignal): Promise<Outcome> {
    // A pod that no Service sends to is in use by no client, whatever became of its node.
    const unread = 'polite' in action && action.polite ? undefined : await this.#unread(action.node, signal)
    const eviction = unread ?? (await removed(this.#parts, action, signal))
    if (isAway(eviction)) return { ok: true, eviction }
    const key = actionKey(action)
    const retryAfterMs = 'retryAfterMs' in eviction ? eviction.retryAfterMs : undefined
    const retryInMs = this.#backoff(key, { baseMs: 1000, capMs: 5000 }).nextMs(retryAfterMs)
    const text = 'text' in eviction ? eviction.text : eviction.kind
    return { ok: false, code: `EVICTION_${eviction.kind}`, error: text, retryInMs, eviction }
  }

  /** Where the API does not say whether the node is still drained, it would not have taken the eviction either. */
  async #unread(name: string, signal: AbortSignal): Promise<EvictionAnswer | undefined> {
    let node: Node
    try {
      node = await this.#node(name, signal)
    } catch (error) {
      if (!(error instanceof WorldError) || error.code === 'NODE_GONE') throw error
      const { message: text, retryAfterMs } = error
      return { kind: 'passing', text, ...present({ retryAfterMs }) }
    }
    mustBeDraining(node, this.#parts.run)
    return undefined
  }

  async #relabel(action: PoliteAction, signal: AbortSignal): Promise<Outcome> {
    if (action.kind === 'releasePod') mustBeDraining(await this.#node(action.node, signal), this.#parts.run)
    const pod = { namespace: action.namespace, name: action.name, resourceVersion: action.asOf }
    await this.#parts.cluster.relabelPod(pod, { labels: action.labels, annotations: markOf(action) }, signal)
    return { ok: true }
  }

  async #takeSlot(action: Extract<Action, { kind: 'takeSlot' }>, signal: AbortSignal): Promise<Outcome> {
    const answer = await this.#parts.keeper.acquire(action, signal)
    if (answer.kind === 'held') return { ok: true }
    const key = actionKey(action)
    if (answer.kind === 'unanswered') return this.#failed(key, 'SLOT_UNANSWERED', answer.error)
    const retryInMs = this.#backoff(key, { baseMs: 1000, capMs: 5000 }).nextMs()
    return { ok: false, code: 'SLOT_TAKEN', error: 'another owner holds the slot', retryInMs, slot: answer }
  }

  async #releaseSlot(action: Action, signal: AbortSignal): Promise<Outcome> {
    const answer = await this.#parts.keeper.release(signal)
    if (answer.kind === 'stale') return this.#failed(actionKey(action), SLOT_LEFT_STALE, answer.error)
    return answer.kind === 'unanswered'
      ? this.#failed(actionKey(action), 'SLOT_UNANSWERED', answer.error)
      : { ok: true }
  }

  async #node(name: string, signal: AbortSignal): Promise<Node> {
    const node = await this.#parts.cluster.readNode(name, signal)
    if (node === undefined) throw new WorldError(`node ${name} does not exist`, { code: 'NODE_GONE', retry: 'never' })
    return node
  }

  #balancer(name: string): Balancer {
    const balancer = this.#parts.balancers.find((candidate) => candidate.name === name)
    if (balancer === undefined)
      throw new WorldError(`no balancer ${name}`, { code: 'BALANCER_UNKNOWN', retry: 'never' })
    return balancer
  }

  #failed(key: string, code: string, error: Error) {
    const asked = error instanceof WorldError ? error.retryAfterMs : undefined
    const soon = code === 'KUBE_CONFLICT'
    const limits = soon ? { baseMs: 100, capMs: 2000 } : { baseMs: 400, capMs: 10_000 }
    return { ok: false, code, error: error.message, retryInMs: this.#backoff(key, limits).nextMs(asked) } as const
  }

  #backoff(key: string, limits: { readonly baseMs: number; readonly capMs: number }): Backoff {
    const known = this.#backoffs.get(key) ?? new Backoff(limits, this.#parts.random)
    this.#backoffs.set(key, known)
    return known
  }
}

/** Written with the first change to a pod, taken off with the last. */
function markOf(action: PoliteAction): Readonly<Record<string, string | null>> {
  if (action.kind === 'releasePod') return { [POLITE_ANNOTATION]: formatPoliteMark(action.mark) }
  return action.kind === 'giveBackPod' ? { [POLITE_ANNOTATION]: null } : {}
}

/** The slot was not released, and ends by itself. */
export const SLOT_LEFT_STALE = 'SLOT_LEFT_STALE'

const limitOf = ({ kind }: Action): number => (kind === 'sendReboot' ? REBOOT_LIMIT_MS : EFFECT_LIMIT_MS)

const removed = ({ cluster }: PerformParts, action: RemovalAction, signal: AbortSignal): Promise<EvictionAnswer> =>
  action.kind === 'deletePod'
    ? cluster.deletePod(action, signal)
    : cluster.evict(action, { dryRun: false, ...present({ graceSeconds: action.graceSeconds }) }, signal)
