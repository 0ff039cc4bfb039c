import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { fillHoldUrl } from '../../ground/model/hold-url.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { VolumeAttachment } from '../../ground/model/volume.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { claimOn } from '../decide/pass.ts'
import type { HoldVerdict } from '../decide/snapshot.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import { askObject } from '../holds/object-hold.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import type { Hold, NodeGuard } from '../model/node-guard.ts'

interface ReaderParts {
  readonly objects: Pick<Objects, 'get' | 'list'>
  readonly cluster: Pick<Cluster, 'list'>
  readonly rules: ObjectRules
  readonly source: HoldSource
  readonly clock: Clock
  /** As the watch told them last. */
  attachmentsOf(node: string): readonly VolumeAttachment[]
  /** A verdict is another one now. */
  readonly onNews: (guard: NodeGuard) => void
}

type Remote = Extract<Hold, { kind: 'pods' | 'http' | 'object' }>

interface Read {
  readonly at: MonoMs
  readonly verdict: HoldVerdict
}

/** What was read is read again after this, while the node asks. */
const AGAIN_MS = 1_000
const CALL_LIMIT_MS = 5_000
/** Its node does not ask any more. */
const KEPT_MS = 600_000
/** Of many nodes that ask, so many holds are read at a time. */
const AT_ONCE = 16
const NAMED_AT_MOST = 3

/**
 * Reads what the holds of a node say. Those that take a request are read beside the passes, so that a target that hangs holds its node
 * and no other. At the moment of a grant all of them are read once more.
 *
 * Law: what cannot be read of a hold is unknown, and never clear.
 */
export class HoldReader {
  readonly #parts: ReaderParts
  readonly #read = new Map<string, Read>()
  readonly #reading = new Set<string>()

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** As far as they are known. */
  verdicts(guard: NodeGuard, node: Node): readonly HoldVerdict[] {
    return guard.spec.holds.flatMap((hold) => {
      if (isRemote(hold)) return this.#read.get(keyOf(guard, node, hold))?.verdict ?? []
      return this.#local(hold, node, this.#parts.attachmentsOf(node.name))
    })
  }

  /** Reads holds of the node that is granted first, then those that were read longest ago, and settles before they are answered. */
  refresh(asking: readonly (readonly [NodeGuard, Node])[], signal: AbortSignal): void {
    const now = this.#parts.clock.monoMs()
    for (const [key, { at }] of this.#read) if (now - at > KEPT_MS) this.#read.delete(key)
    const due = asking.flatMap(([guard, node]) =>
      guard.spec.holds.filter(isRemote).flatMap((hold) => {
        const key = keyOf(guard, node, hold)
        const at = this.#read.get(key)?.at ?? Number.NEGATIVE_INFINITY
        const isGranted = claimOn(node, guard.spec.group) !== undefined
        return this.#reading.has(key) || now - at < AGAIN_MS ? [] : [{ guard, node, hold, key, at, isGranted }]
      }),
    )
    const inTurn = due.toSorted((one, other) => Number(other.isGranted) - Number(one.isGranted) || one.at - other.at)
    for (const { guard, node, hold, key } of inTurn.slice(0, AT_ONCE - this.#reading.size)) {
      this.#reading.add(key)
      this.#remember({ key, guard }, this.#remote(hold, node, signal), signal)
    }
  }

  /** All holds of a node, as of this call or later. */
  async fresh(guard: NodeGuard, node: Node, signal: AbortSignal): Promise<readonly HoldVerdict[]> {
    const { cluster, clock } = this.#parts
    const isOfVolumes = guard.spec.holds.some(({ kind }) => kind === 'volumes')
    const attachments = isOfVolumes ? await cluster.list('volumeattachments', signal) : []
    const here = attachments.filter(({ nodeName }) => nodeName === node.name)
    return Promise.all(
      guard.spec.holds.map(async (hold) => {
        if (!isRemote(hold)) return this.#local(hold, node, here)
        const verdict = await this.#remote(hold, node, signal)
        this.#read.set(keyOf(guard, node, hold), { at: clock.monoMs(), verdict })
        return verdict
      }),
    )
  }

  #remember(
    { key, guard }: { readonly key: string; readonly guard: NodeGuard },
    reading: Promise<HoldVerdict>,
    signal: AbortSignal,
  ): void {
    const { clock, onNews } = this.#parts
    reading
      .then((verdict) => {
        const before = this.#read.get(key)?.verdict
        this.#read.set(key, { at: clock.monoMs(), verdict })
        if (before?.kind !== verdict.kind || before.text !== verdict.text) onNews(guard)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      .finally(() => this.#reading.delete(key))
  }

  #local(hold: Exclude<Hold, Remote>, node: Node, attachments: readonly VolumeAttachment[]): HoldVerdict {
    if (hold.kind === 'annotation') {
      const value = node.annotations[hold.key]
      return value === undefined
        ? { hold: hold.name, kind: 'clear', text: `the Node does not have the annotation ${hold.key}` }
        : { hold: hold.name, kind: 'held', text: `the Node has the annotation ${hold.key}` }
    }
    const left = attachments.filter(({ attacher }) => hold.drivers.length === 0 || hold.drivers.includes(attacher))
    const names = left.map(({ persistentVolumeName = '', name }) => persistentVolumeName || name)
    return left.length === 0
      ? { hold: hold.name, kind: 'clear', text: 'no volume is attached' }
      : { hold: hold.name, kind: 'held', text: `volumes are attached: ${some(names)}` }
  }

  async #remote(hold: Remote, node: Node, signal: AbortSignal): Promise<HoldVerdict> {
    const { clock } = this.#parts
    const what = `hold ${hold.name}`
    try {
      if (hold.kind === 'http') return await this.#asked(hold, node, signal)
      return await withDeadline({ clock, limitMs: CALL_LIMIT_MS, signal, what }, (limited) =>
        hold.kind === 'pods' ? this.#pods(hold, node, limited) : this.#object(hold, node, limited),
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
      return { hold: hold.name, kind: 'unknown', text: error.message }
    }
  }

  async #asked(hold: Extract<Hold, { kind: 'http' }>, node: Node, signal: AbortSignal): Promise<HoldVerdict> {
    const { url, jsonPath, equals, timeoutMs } = hold
    const [address = ''] = node.internalAddresses
    if (address === '' && url.includes('{address}'))
      return { hold: hold.name, kind: 'unknown', text: `${node.name} has no internal address` }
    const filled = fillHoldUrl(url, { node: node.name, address })
    const question = { url: filled, timeoutMs, ...given('jsonPath', jsonPath), ...given('equals', equals) }
    const answer = await this.#parts.source.ask(question, signal)
    return answer.kind === 'unknown'
      ? { hold: hold.name, kind: 'unknown', text: answer.why }
      : { hold: hold.name, kind: answer.kind, text: answer.evidence }
  }

  async #pods(hold: Extract<Hold, { kind: 'pods' }>, node: Node, signal: AbortSignal): Promise<HoldVerdict> {
    const labelSelector = Object.entries(hold.selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(',')
    const found = await this.#parts.objects.list(
      { kind: PODS, ...given('namespace', hold.namespace), labelSelector, fieldSelector: `spec.nodeName=${node.name}` },
      signal,
    )
    const left = found.filter(({ isFinished }) => !isFinished).map(({ namespace, name }) => `${namespace}/${name}`)
    return left.length === 0
      ? { hold: hold.name, kind: 'clear', text: `no pod with ${labelSelector} is on the node` }
      : { hold: hold.name, kind: 'held', text: `pods are on the node: ${some(left)}` }
  }

  async #object(hold: Extract<Hold, { kind: 'object' }>, node: Node, signal: AbortSignal): Promise<HoldVerdict> {
    const answer = await askObject({ ...hold, rule: hold.clearWhen }, { ...this.#parts, node: node.name }, signal)
    const kinds = { true: 'clear', false: 'held', unknown: 'unknown' } as const
    return { hold: hold.name, kind: kinds[answer.kind], text: answer.text }
  }
}

const isRemote = (hold: Hold): hold is Remote => hold.kind === 'pods' || hold.kind === 'http' || hold.kind === 'object'

const keyOf = ({ uid, generation }: NodeGuard, node: Node, { name }: Hold): string =>
  `${uid}/${generation}/${node.uid}/${name}`

const PODS: ObjectKind<{ readonly namespace: string; readonly name: string; readonly isFinished: boolean }> = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: (object) => {
    const { namespace, name } = parseMetadata(object, 'namespaced')
    return { namespace, name, isFinished: ['Failed', 'Succeeded'].includes(object.at('status').at('phase').textOr('')) }
  },
}

const some = (names: readonly string[]): string =>
  names.length <= NAMED_AT_MOST
    ? names.join(', ')
    : `${names.slice(0, NAMED_AT_MOST).join(', ')} and ${names.length - NAMED_AT_MOST} more`

function given<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string }
}
