import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import { Wakeup } from '../../ground/loop/wakeup.ts'
import { MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../service/model/health-order.ts'
import type { Agents } from '../../service/ports/agents.ts'
import { OP_ANNOTATION } from '../decide/op.ts'
import type { IngressNode } from '../decide/snapshot.ts'

interface HealthPortsParts {
  readonly agents: Pick<Agents, 'check'>
  readonly clock: Clock
  /** Something is known anew of nodes of the object with this key. */
  readonly onNews: (key: string) => void
}

/** A node at rest whose pods are ready: by its Deployment, its health ports answer well. */
interface Place {
  readonly address: string
  readonly ports: readonly number[]
  due: MonoMs
  /** How many bad answers there were in a row. */
  bad: number
  isAsked: boolean
  /** A pass has waited for its first answer, and no other one does. */
  isAwaited: boolean
  word: IngressNode['closedPort']
}

const AT_ONCE = 32
const LIMIT_MS = 900
/** For the first answers of nodes whose pods are ready. */
const FIRST_LIMIT_MS = 1_500
const FRESH_AGAIN_MS = 500
const GOOD_AGAIN_MS = 60_000
const BAD_AGAIN_MS = 1_000
const BAD_AGAIN_MAX_MS = 30_000
/** An agent may hear later than the controller of a change. */
const BAD_AT_LEAST = 2

/**
 * Asks the health ports of nodes at rest as a load balancer does, each once a minute, since nothing on the cluster shows whether a port is
 * open: an agent may not be allowed to open it, and another program may hold it. Only an answer counts. Silence may be that of a firewall
 * which lets the load balancer through.
 */
export class HealthPorts {
  readonly #parts: HealthPortsParts
  readonly #wakeup: Wakeup
  /** By the UID of the object, then by node. */
  readonly #objects = new Map<string, { readonly key: string; places: ReadonlyMap<string, Place> }>()

  constructor(parts: HealthPortsParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  /** Follows these nodes of the object. Waits for the first answer of each, but not for long: what is not known does not count. */
  async follow(
    { uid, key }: { readonly uid: string; readonly key: string },
    { nodes, deployments }: { readonly nodes: readonly Node[]; readonly deployments: readonly FoundDeployment[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#parts
    const before = this.#objects.get(uid)?.places ?? new Map<string, Place>()
    const ours = new Map(
      deployments.flatMap((one) => (one.controller?.uid === uid ? [[one.annotations[NODE_ANNOTATION], one]] : [])),
    )
    const places = new Map<string, Place>()
    for (const node of nodes) {
      const deployment = ours.get(node.name)
      const ports = deployment === undefined ? NO_PORTS : answeredPorts(deployment)
      const [address] = node.internalAddresses
      if (ports.length === 0 || address === undefined || isOutByOthers(node)) continue
      const known = before.get(node.name)
      const isAsBefore = known?.address === address && known.ports.join() === ports.join()
      const place = { address, ports, due: clock.monoMs(), bad: 0, isAsked: false, isAwaited: false, word: undefined }
      places.set(node.name, isAsBefore ? known : place)
    }
    this.#objects.set(uid, { key, places })
    const fresh = [...places.values()].filter(({ isAwaited }) => !isAwaited)
    if (fresh.length === 0) return
    for (const place of fresh) place.isAwaited = true
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const asked = mapAtOnce(fresh, AT_ONCE, (place) => this.#askFresh(place, limited)).catch(() => undefined)
    await Promise.race([asked, clock.sleep(FIRST_LIMIT_MS, limited).catch(() => undefined)])
    over.abort()
    signal.throwIfAborted()
    this.#wakeup.wake()
  }

  /** The first port of the node that fails health checks although it should not. Undefined: none, as far as it is known. */
  closedOn(uid: string, node: string): IngressNode['closedPort'] {
    return this.#objects.get(uid)?.places.get(node)?.word
  }

  /** Forgets all other objects. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#objects.keys()) if (!uids.has(uid)) this.#objects.delete(uid)
  }

  /** Asks again and again until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const now = this.#parts.clock.monoMs()
      const due = this.#all().filter(({ place }) => place.due <= now)
      const news = await mapAtOnce(due, AT_ONCE, async ({ key, place }) => {
        const { word, isAsked } = place
        await this.#ask(place, signal)
        return word === place.word && isAsked ? [] : [key]
      })
      signal.throwIfAborted()
      for (const key of new Set(news.flat())) this.#parts.onNews(key)
      const next = Math.min(...this.#all().map(({ place }) => place.due))
      await this.#wakeup.next(Number.isFinite(next) ? next - this.#parts.clock.monoMs() : undefined, signal)
    }
  }

  #all(): readonly { readonly key: string; readonly place: Place }[] {
    return [...this.#objects.values()].flatMap(({ key, places }) =>
      [...places.values()].map((place) => ({ key, place })),
    )
  }

  /** An agent may hear a little later than the controller that its node serves. */
  async #askFresh(place: Place, signal: AbortSignal): Promise<void> {
    await this.#ask(place, signal)
    if (place.word === undefined) return
    await this.#parts.clock.sleep(FRESH_AGAIN_MS, signal)
    await this.#ask(place, signal)
  }

  async #ask(place: Place, signal: AbortSignal): Promise<void> {
    const { agents, clock } = this.#parts
    const { address, ports } = place
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const late = clock.sleep(LIMIT_MS, limited).then(
      () => 'unheard' as const,
      () => 'unheard' as const,
    )
    try {
      const answers = await Promise.all(
        ports.map((port) => Promise.race([agents.check({ address, port }, limited), late])),
      )
      if (signal.aborted) return
      const closed = ports.find((_, at) => answers[at] === 'out' || answers[at] === 'foreign')
      this.#note(place, { closed, isSilent: answers.includes('unheard') })
    } finally {
      over.abort()
    }
  }

  #note(place: Place, { closed, isSilent }: { readonly closed: number | undefined; readonly isSilent: boolean }): void {
    place.bad = closed === undefined ? 0 : place.bad + 1
    const isFirst = !place.isAsked
    place.isAsked = true
    // A node that has never answered well is not in service yet. One that has is not taken for closed by one answer.
    const counts = closed !== undefined && (isFirst || place.bad >= BAD_AT_LEAST)
    if (closed === undefined) place.word = undefined
    else if (counts) place.word = place.word?.port === closed ? place.word : { port: closed }
    const pause = Math.min(BAD_AGAIN_MAX_MS, BAD_AGAIN_MS * 2 ** Math.min(place.bad - 1, 10))
    const rest = isSilent ? BAD_AGAIN_MAX_MS : GOOD_AGAIN_MS
    place.due = monoMs(this.#parts.clock.monoMs() + (closed === undefined ? rest : pause))
  }
}

/** Its agent is to answer badly, or nobody knows what it answers. */
const isOutByOthers = ({ ready, unschedulable, lifecycle = [], deleting, annotations }: Node): boolean =>
  ready !== 'True' ||
  unschedulable ||
  lifecycle.length > 0 ||
  deleting === true ||
  annotations[MAINTENANCE_ANNOTATION] !== undefined

const NO_PORTS: readonly number[] = []

/** A Deployment in a cache never changes. */
const ANSWERED = new WeakMap<FoundDeployment, readonly number[]>()

/** The ports at which health checks are to pass: its pods are ready, and nothing is under way. */
function answeredPorts(deployment: FoundDeployment): readonly number[] {
  const known = ANSWERED.get(deployment)
  if (known !== undefined) return known
  const { annotations, ready } = deployment
  const order = parseHealthOrder(annotations[HEALTH_ANNOTATION] ?? '')
  const isAtRest = typeof order !== 'string' && annotations[OP_ANNOTATION] === undefined && ready >= order.minReadyPods
  const ports = isAtRest ? order.ports : NO_PORTS
  ANSWERED.set(deployment, ports)
  return ports
}
