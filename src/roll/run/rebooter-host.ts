import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { HostReading, RebootAnswer } from '../../ground/model/host.ts'
import { type JsonPatch, pointerToken } from '../../ground/model/json-patch.ts'
import type { Node } from '../../ground/model/node.ts'
import { isSilent, type RebooterWord, rebooterWord } from '../../ground/model/rebooter-condition.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Host, HostTarget } from '../../ground/ports/host.ts'
import type { Random } from '../../ground/ports/random.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  REQUEST_ANNOTATION,
  type RebootRequest,
} from '../../service/model/node-record.ts'
import { parseRebootIntent } from '../../service/model/parse-node-record.ts'
import { sameNode } from './node-patch.ts'

interface RebooterHostParts {
  readonly cluster: Pick<Cluster, 'readNode' | 'patchNode'>
  readonly clock: Clock
  readonly random: Random
  /** From the request to the rebooter's last word on it. */
  readonly limitMs: number
  readonly ownBootId: (signal: AbortSignal) => Promise<string | undefined>
}

const LOOK_EVERY_MS = 500
/** RebootSent is written before the door is used. The path door knows after 5 s that no unit has heard it. */
const DOOR_MS = 8_000
const INSTALL = 'install the rebooter with its door on this node (docs/rebooter.md), or reboot by ssh or by a command'
const PATH = `/metadata/annotations/${pointerToken(REQUEST_ANNOTATION)}`

/**
 * Machines that the rebooter on their node reboots. It is asked by an annotation of the Node, and answers by the condition EvenKeelRebooter.
 * It acts only once this process has given back the word of its answer, so that a request that nobody waits for any more does nothing.
 */
export class RebooterHost implements Host {
  readonly #parts: RebooterHostParts

  constructor(parts: RebooterHostParts) {
    this.#parts = parts
  }

  async check({ node: name }: HostTarget, signal: AbortSignal): Promise<HostReading> {
    const node = await this.#parts.cluster.readNode(name, signal)
    const hops: HostReading['hops'] = []
    if (node === undefined) {
      const fix = 'let it be a machine of a Node, or reboot by ssh or by a command'
      return { mayReboot: false, refusal: 'it has no Node, and only nodes have rebooters', fix, hops }
    }
    const { word, refusal } = rebooterOn(node)
    if (word !== undefined && word.bootId !== node.bootId) {
      const of = `its rebooter speaks of boot ${word.bootId}, and its kubelet of ${escapeForeign(node.bootId) || 'none'}`
      return { mayReboot: false, refusal: of, fix: 'wait until both have begun since the last boot', hops }
    }
    const known = word === undefined ? {} : { bootId: word.bootId }
    return refusal === undefined
      ? { ...known, mayReboot: true, hops }
      : { ...known, mayReboot: false, refusal, fix: INSTALL, hops }
  }

  async reboot({ node: name }: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer> {
    const { clock, limitMs } = this.#parts
    const asked = new Asking(this.#parts, expectedBootId)
    try {
      const limit = { clock, limitMs, signal, what: `the rebooter of ${name}` }
      return await withDeadline(limit, (limited) => asked.ask(name, limited))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DeadlineError || error instanceof WorldError)) throw error
      if (asked.isSent) return { kind: 'sent' }
      if (asked.mayAct) return { kind: 'unknown', text: error.message }
      const isForbidden = error instanceof WorldError && error.code === 'KUBE_FORBIDDEN'
      return { kind: isForbidden ? 'refused' : 'unsent', text: error.message }
    }
  }

  ownBootId(signal: AbortSignal): Promise<string | undefined> {
    return this.#parts.ownBootId(signal)
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

/** One request, and how far it has come. */
class Asking {
  readonly #parts: RebooterHostParts
  readonly #bootId: string
  readonly #id: string
  /** The word was given back, or may have been. */
  mayAct = false
  /** RebootSent was seen. */
  isSent = false

  constructor(parts: RebooterHostParts, bootId: string) {
    this.#parts = parts
    this.#bootId = bootId
    this.#id = parts.random.hex(8)
  }

  async ask(name: string, signal: AbortSignal): Promise<RebootAnswer> {
    const { cluster } = this.#parts
    const node = await cluster.readNode(name, signal)
    if (node === undefined) return { kind: 'refused', text: `there is no Node ${name}` }
    const { refusal } = rebooterOn(node)
    if (refusal !== undefined) return { kind: 'unsent', text: refusal }
    const text = node.annotations[INTENT_ANNOTATION]
    const intent = text === undefined ? undefined : parseRebootIntent(text)
    if (intent?.ok !== true || intent.value.bootId !== this.#bootId)
      return { kind: 'refused', text: `the reboot of this boot is not announced on ${name}` }
    const request: RebootRequest = { version: 1, run: intent.value.run, bootId: this.#bootId, id: this.#id }
    await cluster.patchNode(name, [...asAnnounced(node), written(request)], signal)
    const asked = await this.#answer(name, (answer) => answer.reason !== 'Asked' || answer.word !== undefined, signal)
    if (asked.reason !== 'Asked' || asked.word === undefined) return this.#rebootAnswer(asked)
    return this.#giveBack(node, { ...request, word: asked.word }, signal)
  }

  async #giveBack(node: Node, request: RebootRequest, signal: AbortSignal): Promise<RebootAnswer> {
    const { word: _, ...before } = request
    const isStill = { op: 'test', path: PATH, value: formatRecord(before) } as const
    this.mayAct = true
    try {
      await this.#parts.cluster.patchNode(node.name, [...asAnnounced(node), isStill, written(request)], signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      if (error.code === 'KUBE_CONFLICT' || error.code === 'KUBE_FORBIDDEN') this.mayAct = false
      if (!this.mayAct) throw error
      // It may have been written all the same.
    }
    const said = await this.#answer(node.name, ({ reason }) => reason !== 'Asked', signal)
    if (said.reason !== 'RebootSent') return this.#rebootAnswer(said)
    this.isSent = true
    return this.#rebootAnswer(await this.#afterDoor(node.name, said, signal))
  }

  /** A refusal that comes after RebootSent is of a door that has failed. */
  async #afterDoor(name: string, sent: RebooterWord, signal: AbortSignal): Promise<RebooterWord> {
    const { cluster, clock } = this.#parts
    const untilMs = clock.monoMs() + DOOR_MS
    while (clock.monoMs() < untilMs) {
      await clock.sleep(LOOK_EVERY_MS, signal)
      const node = await readNode(cluster, name, signal)
      const said = node === undefined ? undefined : wordOn(node)
      if (said?.request === this.#id && said.reason === 'Refused') return said
      if (node !== undefined && node.bootId !== this.#bootId) break
    }
    return sent
  }

  #rebootAnswer({ reason, text, bootId }: RebooterWord): RebootAnswer {
    if (reason === 'RebootSent') return { kind: 'sent' }
    return bootId === this.#bootId ? { kind: 'refused', text: escapeForeign(text) } : { kind: 'otherBoot', bootId }
  }

  /** What the rebooter says about this request. */
  async #answer(name: string, isIt: (word: RebooterWord) => boolean, signal: AbortSignal): Promise<RebooterWord> {
    const { cluster, clock } = this.#parts
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, signal)
      const node = await readNode(cluster, name, signal)
      const found = node === undefined ? undefined : wordOn(node)
      if (found?.request === this.#id && isIt(found)) return found
    }
  }
}

/** A server that is away for a moment is asked again. */
async function readNode(
  cluster: RebooterHostParts['cluster'],
  name: string,
  signal: AbortSignal,
): Promise<Node | undefined> {
  try {
    return await cluster.readNode(name, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError)) throw error
    return undefined
  }
}

const wordOn = ({ rebooter }: Node): RebooterWord | undefined =>
  rebooter === undefined ? undefined : rebooterWord(rebooter)

/** The Node that was read, with the announced reboot that was read. */
const asAnnounced = (node: Node): JsonPatch => [
  ...sameNode(node),
  {
    op: 'test',
    path: `/metadata/annotations/${pointerToken(INTENT_ANNOTATION)}`,
    value: node.annotations[INTENT_ANNOTATION],
  },
]

const written = (request: RebootRequest) => ({ op: 'add', path: PATH, value: formatRecord(request) }) as const

interface OnNode {
  readonly word?: RebooterWord
  /** Why a request would do nothing. */
  readonly refusal?: string
}

function rebooterOn({ rebooter, heartbeat }: Node): OnNode {
  const word = rebooter === undefined ? undefined : rebooterWord(rebooter)
  if (rebooter === undefined || word === undefined) return { refusal: 'no rebooter runs on it' }
  if (isSilent(rebooter, heartbeat))
    return { word, refusal: `its rebooter has been silent since ${escapeForeign(rebooter.heartbeat)}` }
  if (word.reason === 'Stopped') return { word, refusal: 'its rebooter has ended' }
  if (word.reason === 'DoorBroken') return { word, refusal: escapeForeign(word.text) }
  return { word }
}
