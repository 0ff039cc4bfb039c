import type { ConfigMap } from '../../ground/model/config-map.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { PastRepair } from '../decide/repair/repair-snapshot.ts'

const NAME = 'evenkeel-dns-repairs'
const KEY = 'repairs.json'
/** More than any guard asks for. */
const KEPT = 20
const OUTCOMES: ReadonlySet<unknown> = new Set(['begun', 'cured', 'notCured'])

/** The repairs of a cluster's DNS, kept in a ConfigMap: one that was begun is written before its pod is touched. */
export class PastRepairs {
  readonly #configMaps: ConfigMaps
  readonly #namespace: string

  constructor(configMaps: ConfigMaps, namespace: string) {
    this.#configMaps = configMaps
    this.#namespace = namespace
  }

  /** Rejects with UserError where a person has spoilt it: without it no cool-down is known. */
  async read(signal: AbortSignal): Promise<readonly PastRepair[]> {
    return this.#repairsOf((await this.#found(signal))?.data[KEY])
  }

  /** Another outcome of the one that began at the same time, or a new one. Rejects with WorldError KUBE_*. */
  write(repair: PastRepair, signal: AbortSignal): Promise<void> {
    return this.#change((others) => [...others, repair], repair, signal)
  }

  /** Nothing came of it. */
  forget(repair: PastRepair, signal: AbortSignal): Promise<void> {
    return this.#change((others) => others, repair, signal)
  }

  async #change(
    change: (others: readonly PastRepair[]) => readonly PastRepair[],
    { at }: PastRepair,
    signal: AbortSignal,
  ): Promise<void> {
    const found = await this.#found(signal)
    const others = this.#repairsOf(found?.data[KEY]).filter((one) => one.at !== at)
    const data = { ...found?.data, [KEY]: JSON.stringify(change(others).slice(-KEPT)) }
    const none: ConfigMap = { ...this.ref, resourceVersion: '', annotations: {}, data: {} }
    await this.#configMaps.write({ ...(found ?? none), data }, signal)
  }

  #repairsOf(text: string | undefined): readonly PastRepair[] {
    if (text === undefined) return []
    let found: unknown
    try {
      found = JSON.parse(text)
    } catch {
      // It is no JSON.
    }
    if (Array.isArray(found) && found.every(isRepair)) return found
    throw new UserError(`ConfigMap ${this.#namespace}/${NAME}: ${KEY} is not a list of repairs`, {
      code: 'dns.repairs',
      fix: say`look at it, then: ${kubectl`delete configmap -n ${this.#namespace} ${NAME}`}`,
    })
  }

  /** Where they are kept. */
  get ref(): ObjectRef {
    return { namespace: this.#namespace, name: NAME }
  }

  #found(signal: AbortSignal): Promise<ConfigMap | undefined> {
    return this.#configMaps.read(this.ref, signal)
  }
}

function isRepair(one: unknown): one is PastRepair {
  const { at, pod, outcome } = (one ?? {}) as Partial<Record<keyof PastRepair, unknown>>
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) && typeof pod === 'string' && OUTCOMES.has(outcome)
}
