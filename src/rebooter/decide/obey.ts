import type { Node } from '../../ground/model/node.ts'
import type { RebooterWord } from '../../ground/model/rebooter-condition.ts'
import { rebooterWord } from '../../ground/model/rebooter-condition.ts'
import { runOfOwner, type SeenSlot } from '../../ground/model/slot.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { INTENT_ANNOTATION, REQUEST_ANNOTATION, type RebootRequest } from '../../service/model/node-record.ts'
import { parseRebootIntent, parseRebootRequest } from '../../service/model/parse-node-record.ts'

/** A request that this process has answered by a word, and when. */
export interface AskedBack {
  readonly request: string
  readonly word: string
  readonly at: MonoMs
}

export interface ObeySnapshot {
  readonly node: Node
  /** The boot that the kernel runs. */
  readonly bootId: string
  /** Why the door does not work. */
  readonly fault?: string
  readonly slots: readonly Pick<SeenSlot, 'owner'>[]
  readonly askedBack?: AskedBack
  readonly now: MonoMs
}

/** `reboot`: the word is written first, and then the door is used. */
type Obedience =
  | { readonly kind: 'say'; readonly word: RebooterWord }
  | { readonly kind: 'askBack'; readonly request: string }
  | { readonly kind: 'reboot'; readonly word: RebooterWord }

/** A roll that lives gives a word back in a second or two. */
export const WORD_LIMIT_MS = 20_000

/** The request on this Node; undefined: there is none that can be read, or it is for the client that asks by FleetLock. */
export function requestOn(node: Pick<Node, 'annotations'>): RebootRequest | undefined {
  const text = node.annotations[REQUEST_ANNOTATION]
  const parsed = text === undefined ? undefined : parseRebootRequest(text)
  return parsed?.ok === true && parsed.value.by === undefined ? parsed.value : undefined
}

/** What this rebooter has said for good about the request: a request is obeyed or refused once in a boot. */
export function lastWordOn(node: Pick<Node, 'rebooter'>, request: string, bootId: string): RebooterWord | undefined {
  const word = node.rebooter === undefined ? undefined : rebooterWord(node.rebooter)
  const isLast = word?.reason === 'RebootSent' || word?.reason === 'Refused'
  return isLast && word.request === request && word.bootId === bootId ? word : undefined
}

/**
 * What the rebooter says or does, of what the cluster shows now. A run answers by the word that this very process has said a moment before.
 *
 * Law: a rebooter reboots its machine only for a run whose intent for this boot is on its Node, that holds a slot for it, and that
 * answers at that moment.
 */
export function obey(s: ObeySnapshot): Obedience {
  const { node, bootId, fault } = s
  const request = requestOn(node)
  if (request === undefined) return { kind: 'say', word: { ...idle(fault), bootId } }
  const { id } = request
  const last = lastWordOn(node, id, bootId)
  if (last !== undefined) return { kind: 'say', word: last }
  const why = refusal(s, request)
  if (why !== undefined) return { kind: 'say', word: { reason: 'Refused', text: why, request: id, bootId } }
  if (request.word === undefined)
    return s.askedBack?.request === id
      ? { kind: 'say', word: waits(s.askedBack, bootId) }
      : { kind: 'askBack', request: id }
  const text = 'the machine is told to reboot'
  return { kind: 'reboot', word: { reason: 'RebootSent', text, request: id, bootId } }
}

const idle = (fault: string | undefined) =>
  fault === undefined
    ? ({ reason: 'Ready', text: 'it waits for a request' } as const)
    : ({ reason: 'DoorBroken', text: fault } as const)

export const waits = ({ request, word }: AskedBack, bootId: string): RebooterWord => ({
  reason: 'Asked',
  text: 'it waits until the roll gives back the word',
  request,
  word,
  bootId,
})

function refusal(s: ObeySnapshot, request: RebootRequest): string | undefined {
  const { node, bootId, fault, slots } = s
  if (request.bootId !== bootId) return `the request is for boot ${request.bootId}`
  if (node.deleting === true) return 'the Node is being deleted'
  const intent = intentOn(node)
  if (intent === undefined) return 'no reboot is announced on the Node'
  if (intent.run !== request.run)
    return `run ${intent.run} has announced the reboot, and the request is of ${request.run}`
  if (intent.bootId !== bootId) return `the announced reboot is of boot ${intent.bootId}`
  if (!node.unschedulable) return 'the node is not cordoned'
  const isHolder = slots.some(
    ({ owner }) => owner.node === node.name && owner.isMachine !== true && runOfOwner(owner) === request.run,
  )
  if (!isHolder) return `run ${request.run} holds no slot of the node budget for this node`
  return fault ?? wrongWord(s, request)
}

function intentOn({ annotations }: Node) {
  const text = annotations[INTENT_ANNOTATION]
  const parsed = text === undefined ? undefined : parseRebootIntent(text)
  return parsed?.ok === true ? parsed.value : undefined
}

/** The word of an earlier process, or of long ago, does not show that the run lives. */
function wrongWord({ askedBack, now }: ObeySnapshot, { id, word }: RebootRequest): string | undefined {
  if (word === undefined) return undefined
  if (askedBack?.request !== id || askedBack.word !== word) return 'the word was not said by this process'
  return now - askedBack.at > WORD_LIMIT_MS ? 'the word was given back too late' : undefined
}
