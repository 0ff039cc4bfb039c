import { jsonObject } from '../../ground/model/json-object.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'

/** The operation, on the Deployment of a node. */
export const OP_ANNOTATION = 'evenkeel.dev/ingress-operation'

const PHASES = ['Detaching', 'Updating', 'Verifying', 'Attaching'] as const

export type Phase = (typeof PHASES)[number]

/**
 * The operation on a node. It is written before the first effect and removed after the last one, so the next process knows why the node is
 * out. The times are of the clock of the process that wrote them.
 */
export interface IngressOp {
  /** The id of the claim, which an agent acknowledges. */
  readonly id: string
  /** The revision that the pods get before the node comes back. */
  readonly revision: string
  readonly phase: Phase
  /** The beginning: the mark of the Deployment was set. Earlier acknowledgements do not count. */
  readonly t0: WallMs
  /** When all signs of the detach were set: claim, mark of the Deployment, mark of the Node. */
  readonly t1?: WallMs
  /** When the change of the pods began, which is also the beginning of the progress deadline. */
  readonly t2?: WallMs
  /** Since when nothing of this object keeps the node out. */
  readonly t3?: WallMs
  /** When the mark of the Deployment was set again, because others had removed it. */
  readonly markedAgain?: WallMs
  /** When the mark for the detacher was removed, before the node was to leave again. */
  readonly unmarkedAt?: WallMs
  /** The first pods of this node. It was never attached, so it does not count as out. */
  readonly isNew?: true
  /** The update is done in place, without a detach. */
  readonly inPlace?: true
  /** The update was given up, and the node is attached again with its old pods. */
  readonly gaveUp?: true
}

/** The first pods of the node start. Once it is on its way in, it is a node like any other. */
export const isFirst = (op: IngressOp | undefined): boolean => op?.isNew === true && op.phase !== 'Attaching'

/** The pods change while the node serves. Not so where the operation was lost of a node that was out: its signs were found later. */
export const isInPlace = ({ inPlace, markedAgain }: IngressOp): boolean => inPlace === true && markedAgain === undefined

/** The operation set back to the detach, for a node that is to be out again, with the signs that are set already. */
export function toDetach(
  { t2: _t2, t3, isNew: _isNew, inPlace: _inPlace, gaveUp: _gaveUp, ...op }: IngressOp,
  now: WallMs,
): IngressOp {
  return { ...op, ...(op.phase === 'Attaching' ? { unmarkedAt: t3 ?? now } : {}), phase: 'Detaching' }
}

type OpWord =
  | { readonly kind: 'none' }
  | { readonly kind: 'op'; readonly op: IngressOp }
  | { readonly kind: 'unreadable'; readonly why: string }

const LENGTH_MAX = 1_024
const ID = /^[0-9A-Za-z._-]{1,64}$/
const REVISION = /^[0-9A-Za-z._-]{1,253}$/

/** The revision in a Deployment's annotation, if it has the form of one. Anyone who may patch the Deployment can write another text. */
export const revisionIn = (text: string | undefined): string =>
  text !== undefined && REVISION.test(text) ? text : 'unknown'

/** Parses the annotation, which anyone who may patch Deployments can write. Each field is checked. */
export function parseOp(text: string | undefined): OpWord {
  if (text === undefined) return { kind: 'none' }
  const op = opIn(text)
  return typeof op === 'string' ? { kind: 'unreadable', why: op } : { kind: 'op', op }
}

export const formatOp = ({ t0, t1, t2, t3, markedAgain, unmarkedAt, ...op }: IngressOp): string =>
  JSON.stringify({ version: 1, ...op, ...isoOf({ t0, t1, t2, t3, markedAgain, unmarkedAt }) })

const isoOf = (times: Readonly<Record<string, WallMs | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(times).flatMap(([key, at]) => (at === undefined ? [] : [[key, toIso(at)]])))

/** The operation in the text, or what is wrong with it. */
function opIn(text: string): IngressOp | string {
  if (text.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`
  const raw = jsonObject(text)
  if (raw === undefined) return 'it is not a JSON object'
  if (raw.version !== 1) return 'its version is not 1'
  const { id, revision } = raw
  if (typeof id !== 'string' || !ID.test(id)) return 'its id is not 1 to 64 letters, digits, dots and hyphens'
  if (typeof revision !== 'string' || !REVISION.test(revision)) return 'its revision is not the name of a revision'
  const phase = PHASES.find((known) => known === raw.phase)
  if (phase === undefined) return `its phase is not one of ${PHASES.join(', ')}`
  const times = timesIn(raw)
  if (typeof times === 'string') return times
  return {
    id,
    revision,
    phase,
    ...times,
    ...(raw.isNew === true ? { isNew: true } : {}),
    ...(raw.inPlace === true ? { inPlace: true } : {}),
    ...(raw.gaveUp === true ? { gaveUp: true } : {}),
  }
}

const TIMES = ['t0', 't1', 't2', 't3', 'markedAgain', 'unmarkedAt'] as const

function timesIn(raw: Readonly<Record<string, unknown>>): Pick<IngressOp, (typeof TIMES)[number]> | string {
  const times: { -readonly [T in (typeof TIMES)[number]]?: WallMs } = {}
  for (const key of TIMES) {
    const value = raw[key]
    if (value === undefined) continue
    const at = parseTimestamp(typeof value === 'string' ? value : '')
    if (at.kind !== 'at') return `its ${key} is not a time like 2026-01-01T00:00:00Z`
    times[key] = at.at
  }
  const { t0, ...others } = times
  return t0 === undefined ? 'its t0 is missing' : { t0, ...others }
}
