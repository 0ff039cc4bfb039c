import { isDeepStrictEqual } from 'node:util'
import type { Seen } from './seen.ts'
import type { Normal } from './snapshot.ts'

/** One thing that the two planes do not have in common. */
export interface Difference {
  /** What of which kind: `Pod.spec.containers.*.imagePullPolicy`, `answer POST 201/422`. */
  readonly at: string
  readonly embedded: string
  readonly real: string
}

const shown = (value: unknown): string =>
  value === undefined ? 'absent' : (JSON.stringify(value) ?? 'absent').slice(0, 300)

/** The embedded plane's first. */
export function differencesOf(embedded: Seen, real: Seen): readonly Difference[] {
  if (embedded.kind === 'answer' && real.kind === 'answer') return ofAnswers(embedded, real)
  if (embedded.kind === 'pages' && real.kind === 'pages') {
    return isDeepStrictEqual(embedded.pages, real.pages)
      ? []
      : [{ at: 'pages', embedded: shown(embedded.pages), real: shown(real.pages) }]
  }
  if (embedded.kind === 'there' && real.kind === 'there')
    return ofObjects(embedded.snapshot.objects, real.snapshot.objects)
  if (embedded.kind === 'events' && real.kind === 'events') return ofEvents(embedded, real)
  return embedded.kind === real.kind ? [] : [{ at: 'kind of step', embedded: embedded.kind, real: real.kind }]
}

type Answer = Extract<Seen, { kind: 'answer' }>

function ofAnswers(embedded: Answer, real: Answer): readonly Difference[] {
  const short = ({ code, reason, message }: Answer): string =>
    `${code} ${String(reason ?? '')} ${message.slice(0, 200)}`
  if (embedded.code !== real.code || embedded.reason !== real.reason) {
    return [{ at: `answer ${embedded.code}/${real.code}`, embedded: short(embedded), real: short(real) }]
  }
  if (!isDeepStrictEqual(embedded.causes, real.causes)) {
    return [
      { at: 'causes', embedded: shown(embedded.causes), real: `${shown(real.causes)} ${real.message.slice(0, 300)}` },
    ]
  }
  if (embedded.object === undefined || real.object === undefined) return []
  return ofFields(embedded.object, real.object, `answer ${real.of}`)
}

/** What is of one kind and name is compared field by field; equals among them in their order. */
function ofObjects(embedded: readonly Normal[], real: readonly Normal[]): readonly Difference[] {
  const ids = new Set([...embedded, ...real].map(({ id }) => id))
  return [...ids].flatMap((id) => {
    const kind = id.split(' ')[0] ?? ''
    const [ours, theirs] = [embedded, real].map((all) => all.filter((each) => each.id === id))
    if (ours === undefined || theirs === undefined) return []
    if (ours.length !== theirs.length)
      return [{ at: `${kind} count`, embedded: `${ours.length} ${id}`, real: `${theirs.length} ${id}` }]
    return ours.flatMap(({ object }, index) => ofFields(object, theirs[index]?.object, kind))
  })
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function ofFields(embedded: unknown, real: unknown, at: string): readonly Difference[] {
  // What is absent is as good as an empty map.
  const [ours, theirs] = [embedded ?? (isMap(real) ? {} : undefined), real ?? (isMap(embedded) ? {} : undefined)]
  if (isMap(ours) && isMap(theirs)) {
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((name) =>
      ofFields(ours[name], theirs[name], `${at}.${name}`),
    )
  }
  if (Array.isArray(embedded) && Array.isArray(real) && embedded.length === real.length) {
    return embedded.flatMap((item, index) => ofFields(item, real[index], `${at}.*`))
  }
  return isDeepStrictEqual(embedded, real) ? [] : [{ at, embedded: shown(embedded), real: shown(real) }]
}

/** Of each object in their order. What controllers write to it meanwhile may be one write here and two there. */
function ofEvents(
  embedded: Extract<Seen, { kind: 'events' }>,
  real: Extract<Seen, { kind: 'events' }>,
): readonly Difference[] {
  const kind = embedded.path.split('/').at(-1)?.split('?')[0] ?? ''
  const telling = { isWhole: OWN.has(kind), isProtected: kind.startsWith('persistentvolume') }
  const [ours, theirs] = [embedded, real].map(({ events }) => byObject(events, telling))
  return isDeepStrictEqual(ours, theirs) ? [] : [{ at: `events ${kind}`, embedded: shown(ours), real: shown(theirs) }]
}

type Events = Extract<Seen, { kind: 'events' }>['events']

/** Nobody but the clients of a sequence writes to these. */
const OWN = new Set(['configmaps', 'leases', 'nodeguards', 'ingressdaemonsets', 'events', 'priorityclasses'])

interface Telling {
  /** With changes that delete nothing. */
  readonly isWhole: boolean
  readonly isProtected: boolean
}

/** What happened to one or more objects of a name. */
function byObject(events: Events, { isWhole, isProtected }: Telling): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const { uid, name, text: whole } of events) {
    // Only the real one protects claims and volumes, so that they go by two writes.
    const text = isProtected
      ? whole.replace(/^MODIFIED going$/, 'MODIFIED').replace(/^DELETED going$/, 'DELETED')
      : whole
    if (text === 'MODIFIED' && !isWhole) continue
    const group = groups.get(uid) ?? [name]
    groups.set(uid, group)
    if (group.at(-1) !== text) group.push(text)
  }
  return [...new Set([...groups.values()].map((group) => group.join(', ')))].toSorted()
}
