import { jsonObject } from '../../ground/model/json-object.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import { parseTimestamp } from '../../service/model/detacher.ts'

/** On the Deployment of a node: what is under way there. */
export const OP_ANNOTATION = 'evenkeel.dev/ingress-operation'

const PHASES = ['Detaching', 'Updating', 'Verifying', 'Attaching'] as const

export type Phase = (typeof PHASES)[number]

/**
 * What is under way on a node. It is written before the first effect and removed after the last one, so that the next
 * process knows why the node is out. Times are of the clock of the process that wrote them.
 */
export interface IngressOp {
  /** What the claim on the node bears, and an agent acknowledges. */
  readonly id: string
  /** The pods are to be of it before the node comes back. */
  readonly revision: string
  readonly phase: Phase
  /** It began: the mark of the Deployment was set. What was acknowledged before is of an earlier one. */
  readonly t0: WallMs
  /** All that asks for the detach stood: claim, mark of the Deployment, mark of the Node. */
  readonly t1?: WallMs
  /** The change of the pods began; the progress deadline runs from then on. */
  readonly t2?: WallMs
  /** Nothing of it kept the node out any more. */
  readonly t3?: WallMs
  /** The mark of the Deployment was set once more, because others had removed it. */
  readonly markedAgain?: WallMs
  /** Its detacher was asked back then, before the node was to leave once more. */
  readonly unmarkedAt?: WallMs
  /** The pods are the first of this node, which was not attached yet: it is not one more out. */
  readonly isNew?: true
  /** Nothing is asked to leave for it. */
  readonly inPlace?: true
  /** It was given up, and the node is attached again with the pods that it had. */
  readonly gaveUp?: true
}

/** Its first pods come up. Once it is on its way in it is a node like any other. */
export const isFirst = (op: IngressOp | undefined): boolean => op?.isNew === true && op.phase !== 'Attaching'

/** Out of service again, or still: to be detached from here on, with what stands of an earlier detach. */
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

/** The revision that a Deployment says it has. Anyone who may patch it can write another text, which no operation could bear. */
export const revisionIn = (text: string | undefined): string =>
  text !== undefined && REVISION.test(text) ? text : 'unknown'

/** Anyone who may patch Deployments can write it: each field is checked, and what is wrong is said. */
export function parseOp(text: string | undefined): OpWord {
  if (text === undefined) return { kind: 'none' }
  const op = opIn(text)
  return typeof op === 'string' ? { kind: 'unreadable', why: op } : { kind: 'op', op }
}

export const formatOp = ({ t0, t1, t2, t3, markedAgain, unmarkedAt, ...op }: IngressOp): string =>
  JSON.stringify({ version: 1, ...op, ...isoOf({ t0, t1, t2, t3, markedAgain, unmarkedAt }) })

const isoOf = (times: Readonly<Record<string, WallMs | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(times).flatMap(([key, at]) => (at === undefined ? [] : [[key, toIso(at)]])))

/** What the text holds, or what is wrong with it. */
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
