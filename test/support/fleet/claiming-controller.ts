import { DeadlineError } from '../../../src/ground/loop/deadline.ts'
import type { Leader } from '../../../src/ground/loop/leader.ts'
import {
  type Claim,
  claimsOf,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  withClaim,
  withoutClaim,
} from '../../../src/ground/model/claims.ts'
import { type JsonPatch, pointerToken } from '../../../src/ground/model/json-patch.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { OutLimit } from '../../../src/ground/model/out-limit.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { toIso } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { budgetLimit } from '../../../src/service/decide/budget/budget-limit.ts'
import { budgetNode } from '../../../src/service/decide/budget/budget-node.ts'
import { maxOut } from '../../../src/service/decide/budget/max-out.ts'
import type { CordonsThatCount } from '../../../src/service/decide/budget/snapshot.ts'
import { whoIsOut } from '../../../src/service/decide/budget/who-is-out.ts'
import { BUDGET_CONFIG_MAP, ONE_OUT } from '../../../src/service/model/budget-object.ts'
import { GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../../../src/service/model/cordon-grants.ts'
import { ControllerSlots } from '../../../src/service/run/controller-slots.ts'
import { SlotsReader } from '../../../src/service/run/slots-reader.ts'
import type { ProcessPorts } from '../virtual-roll/process-ports.ts'

interface ClaimingControllerParts {
  readonly ports: ProcessPorts
  readonly leader: Leader
  readonly namespace: string
  readonly lease: { readonly namespace: string; readonly name: string }
  readonly slotDurationMs: number
  readonly wanted: readonly string[]
  /** Nodes that were out and are back, whichever process saw to it. */
  readonly done: Set<string>
  readonly atOnce: number
  readonly keepMs: number
}

const OWNER = 'ingress/fleet'
const PASS_EVERY_MS = 500
const CLAIMS_PATH = `/metadata/annotations/${pointerToken(MAINTENANCE_ANNOTATION)}`

interface Reading {
  readonly nodes: readonly Node[]
  readonly slots: readonly SeenSlot[]
  readonly cordons: CordonsThatCount
  readonly max: number
  /** The budget makes no sense: nothing is begun. */
  readonly isFaulty: boolean
}

/**
 * A controller as small as one can be that keeps nodes out by the law of the budget: it counts, takes a slot, counts again,
 * claims, and after a while withdraws and releases. All that it knows stands on the nodes and in the slots, so that the next
 * leader goes on with it.
 */
export class ClaimingController {
  readonly #parts: ClaimingControllerParts
  readonly #slots: ControllerSlots
  readonly #reader: SlotsReader
  #limit: OutLimit = ONE_OUT

  constructor(parts: ClaimingControllerParts) {
    this.#parts = parts
    const { ports, leader, namespace, lease, slotDurationMs } = parts
    const { cluster, clock } = ports
    this.#slots = new ControllerSlots({ cluster, clock, namespace, lease, leader })
    this.#reader = new SlotsReader({ cluster, clock, namespace, durationMs: slotDurationMs })
  }

  /** Rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    const { leader, ports } = this.#parts
    for (;;) {
      try {
        if (leader.isLeading()) await this.#pass(await this.#read(signal), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
      }
      await ports.clock.sleep(PASS_EVERY_MS * (0.5 + ports.random.next()), signal)
    }
  }

  /** One thing, by a reading of its own. */
  async #pass(reading: Reading, signal: AbortSignal): Promise<void> {
    const { wanted, done, atOnce } = this.#parts
    const own = reading.slots.filter(({ owner }) => owner.holder === this.#slots.holder)
    for (const slot of own) if (await this.#goOn(slot, reading, signal)) return
    const taken = new Set(reading.slots.map(({ owner }) => owner.node))
    const next = wanted.find((name) => !done.has(name) && !taken.has(name) && mayLeave(name, reading))
    if (next === undefined || own.length >= atOnce || reading.isFaulty) return
    const held = new Set(reading.slots.map(({ index }) => index))
    const free = Array.from({ length: reading.max }, (_, index) => index).find((index) => !held.has(index))
    if (free !== undefined) await this.#slots.take({ index: free, node: next }, signal)
  }

  /** False: nothing is to be done about it now. */
  async #goOn({ index, owner }: SeenSlot, reading: Reading, signal: AbortSignal): Promise<boolean> {
    const { done, keepMs, ports } = this.#parts
    const node = reading.nodes.find(({ name }) => name === owner.node)
    if (node === undefined) return false
    const claim = claimsOf(node.annotations[MAINTENANCE_ANNOTATION]).find((one) => one.owner === OWNER)
    if (claim !== undefined) {
      if (ports.clock.wallMs() - Date.parse(claim.at ?? '') < keepMs) return false
      await this.#write(node, withoutClaim(claimsOf(node.annotations[MAINTENANCE_ANNOTATION]), OWNER), signal)
      done.add(node.name)
      await this.#slots.release({ index, node: node.name }, signal)
      return true
    }
    if (done.has(node.name) || reading.isFaulty || isShared(node.name, reading) || !mayLeave(node.name, reading)) {
      await this.#slots.release({ index, node: node.name }, signal)
      return true
    }
    const fresh: Claim = { owner: OWNER, id: `${node.name}-1`, at: toIso(ports.clock.wallMs()) }
    await this.#write(node, withClaim(claimsOf(node.annotations[MAINTENANCE_ANNOTATION]), fresh), signal)
    return true
  }

  async #write(node: Node, claims: readonly Claim[], signal: AbortSignal): Promise<void> {
    const { leader, ports } = this.#parts
    if (!leader.isLeading()) return
    const patch: JsonPatch = [
      { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion },
      ...(Object.keys(node.annotations).length === 0
        ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const]
        : []),
      claims.length === 0
        ? { op: 'remove', path: CLAIMS_PATH }
        : { op: 'add', path: CLAIMS_PATH, value: formatClaims(claims) },
    ]
    await ports.cluster.patchNode(node.name, patch, signal)
  }

  async #read(signal: AbortSignal): Promise<Reading> {
    const { ports, namespace } = this.#parts
    const nodes = await ports.cluster.list('nodes', signal)
    const limit = budgetLimit(await ports.configMaps.read({ namespace, name: BUDGET_CONFIG_MAP }, signal))
    if (limit.kind === 'limit') this.#limit = limit.limit
    const grants = await ports.configMaps.read({ namespace, name: GRANTS_CONFIG_MAP }, signal)
    const cordons = grants === undefined ? 'noBrake' : (parseGrants(grants.data[GRANTS_KEY] ?? '') ?? 'unknown')
    const max = maxOut(this.#limit, nodes.length)
    const slots = await this.#reader.read(max, signal)
    return { nodes, slots, cordons, max, isFaulty: limit.kind === 'invalid' }
  }
}

const isShared = (name: string, { slots }: Reading): boolean =>
  slots.filter(({ owner }) => owner.node === name).length > 1

/** Fewer others are out, or about to be, than may be. */
function mayLeave(name: string, { nodes, slots, cordons, max }: Reading): boolean {
  const others = slots.flatMap(({ index, isStale, owner }) =>
    owner.node === undefined || owner.node === name || isStale ? [] : [{ index, node: owner.node, owner: owner.run }],
  )
  const out = whoIsOut({ nodes: nodes.map(budgetNode), places: [], cordons, slots: others, returning: new Set() })
  return out.filter(({ node }) => node !== name).length < max && !out.some(({ node }) => node === name)
}
