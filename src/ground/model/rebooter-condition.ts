import { bootOfMessage, type RebootCondition, rebootMessage } from './reboot-condition.ts'

/** The condition of a Node by which the rebooter on it answers, and shows that it lives. */
export const REBOOTER_CONDITION = 'EvenKeelRebooter'

/** It is written again after this time at the latest, as a kubelet writes the conditions of its own. */
export const REBOOTER_EVERY_MS = 5 * 60_000

/** Between the time at which a kubelet has written Ready and the last word of a rebooter that lives. */
const SILENT_MS = 2 * REBOOTER_EVERY_MS + 2 * 60_000

/**
 * - Ready: it waits for a request
 * - DoorBroken: it lives, and the machine would not hear of a request
 * - Stopped: its process has ended
 * - Asked: it has a request, and waits until the roll has given back the word
 * - RebootSent: written before the machine hears of it
 * - Refused: nothing was done
 */
export const REBOOTER_REASONS = ['Ready', 'DoorBroken', 'Stopped', 'Asked', 'RebootSent', 'Refused'] as const

export interface RebooterWord {
  readonly reason: (typeof REBOOTER_REASONS)[number]
  readonly text: string
  /** Of the request that it answers. */
  readonly request?: string
  /** What the roll has to give back. */
  readonly word?: string
  /** The boot that the kernel of the machine runs. */
  readonly bootId: string
}

const OF_REQUEST = / \(request (?<request>[0-9a-f]{8,64})(?:, word (?<word>[0-9a-f]{8,64}))?\)$/

export function rebooterMessage({ text, request, word, bootId }: RebooterWord): string {
  const of = request === undefined ? '' : ` (request ${request}${word === undefined ? '' : `, word ${word}`})`
  return rebootMessage(`${text}${of}`, bootId)
}

/** What a rebooter has said; undefined: the condition is none of a rebooter. The text is foreign. */
export function rebooterWord({ reason, message }: RebootCondition): RebooterWord | undefined {
  const known = REBOOTER_REASONS.find((one) => one === reason)
  const bootId = bootOfMessage(message)
  if (known === undefined || bootId === undefined) return undefined
  const rest = message.slice(0, message.lastIndexOf(' (boot '))
  const { request, word } = OF_REQUEST.exec(rest)?.groups ?? {}
  return {
    reason: known,
    text: rest.replace(OF_REQUEST, ''),
    bootId,
    ...(request === undefined ? {} : { request }),
    ...(word === undefined ? {} : { word }),
  }
}

/**
 * Whether a kubelet has written Ready long after the rebooter of its machine has last written. Both times are by the clock of that
 * machine, so that it may be wrong.
 */
export function isSilent(rebooter: RebootCondition, kubeletHeartbeat: string): boolean {
  const silentMs = Date.parse(kubeletHeartbeat) - Date.parse(rebooter.heartbeat)
  return silentMs > SILENT_MS
}
