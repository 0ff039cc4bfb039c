import { HOLDS_ANNOTATION, RELEASES_ANNOTATION } from '../../ground/model/guard-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import { MalformedReply, type Untrusted } from '../../ground/model/untrusted.ts'
import { GUARD_DEFAULTS as D } from './guard-defaults.ts'
import { parseHold } from './holds/hold-kinds.ts'
import type { ByHand, ByHandList, GuardFollow, GuardSpec, NodeGuard } from './node-guard.ts'

/** A NodeGuard, with what holds where it says nothing. Throws MalformedReply. */
export function parseNodeGuard(object: Untrusted): NodeGuard {
  const { namespace, name, uid, resourceVersion, generation, annotations } = parseMetadata(object, 'namespaced')
  return {
    ...{ namespace, name, uid, resourceVersion },
    generation: generation ?? 0,
    deleting: !object.at('metadata').at('deletionTimestamp').absent,
    spec: parseSpec(object.at('spec')),
    releases: parseByHand(annotations[RELEASES_ANNOTATION], true),
    heldByHand: parseByHand(annotations[HOLDS_ANNOTATION], false),
  }
}

function parseSpec(spec: Untrusted): GuardSpec {
  const holds = spec.at('holds').each().map(parseHold)
  const template = spec.at('template')
  const priorityClassName = spec.at('priorityClassName').optionalText()
  const maxHold = spec.at('maxHold')
  return {
    follow: parseFollow(spec.at('follow')),
    mode: wordOf(spec.at('mode'), ['PerNode', 'Budget']),
    group: spec.at('group').textOr(D.group),
    ...(template.absent ? {} : { template: template.fields() }),
    image: spec.at('image').textOr(D.image),
    ...present({ priorityClassName }),
    minReadySeconds: spec.at('minReadySeconds').integerOr(D.minReadySeconds),
    pendingReplacement: wordOf(spec.at('pendingReplacement'), ['ScaleDown', 'KeepPending']),
    onTargetGone: wordOf(spec.at('onTargetGone'), ['Keep', 'Remove']),
    resistsDeletion: spec.at('resistDeletion').flagOr(false),
    grantTimeoutMs: spec.at('grantTimeoutSeconds').integerOr(D.grantTimeoutSeconds) * 1_000,
    holds,
    ...(maxHold.absent
      ? {}
      : {
          maxHold: {
            afterMs: maxHold.at('seconds').integerOr(0) * 1_000,
            policy: wordOf(maxHold.at('policy'), ['Wait', 'Release']),
          },
        }),
  }
}

function parseFollow(follow: Untrusted): GuardFollow {
  const daemonSet = follow.at('daemonSet')
  return daemonSet.absent
    ? { kind: 'nodes', nodeSelector: follow.at('nodeSelector').textMap() }
    : { kind: 'daemonSet', name: daemonSet.at('name').text() }
}

const TEXT_MAX = 200
/** RFC 3339: a time without a zone would be another one on each machine. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Written by persons, and read with care: what cannot be read releases nothing, and holds all. */
function parseByHand(text: string | undefined, mustEnd: boolean): ByHandList {
  if (text === undefined) return { entries: [] }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { entries: [], unreadable: 'it is not JSON' }
  }
  if (!Array.isArray(parsed)) return { entries: [], unreadable: 'it is not a list' }
  const entries: ByHand[] = []
  for (const item of parsed) {
    const entry = entryOf(item, mustEnd)
    if (typeof entry === 'string') return { entries: [], unreadable: entry }
    entries.push(entry)
  }
  return { entries }
}

function entryOf(item: unknown, mustEnd: boolean): ByHand | string {
  const { node, by, until, why } = isJsonObject(item) ? item : {}
  if (typeof node !== 'string' || node === '') return 'an entry names no node'
  if (typeof by !== 'string' || by === '' || by.length > TEXT_MAX)
    return `the entry of ${node} does not say by whom it is`
  const ends = typeof until === 'string' && TIME.test(until) && !Number.isNaN(Date.parse(until))
  if (until !== undefined && !ends) return `the entry of ${node} ends at no time that can be read`
  if (mustEnd && !ends) return `the entry of ${node} has no end`
  if (why !== undefined && (typeof why !== 'string' || why.length > TEXT_MAX))
    return `the reason of the entry of ${node} is not a text of at most ${TEXT_MAX} characters`
  return {
    ...{ node, by },
    ...(typeof until === 'string' ? { until } : {}),
    ...(typeof why === 'string' ? { why } : {}),
  }
}

/** The word that was written; the first of `words` if the field is absent. */
function wordOf<T extends string>(word: Untrusted, words: readonly [T, ...T[]]): T {
  const written = word.optionalText() ?? words[0]
  const known = words.find((each) => each === written)
  if (known === undefined) throw new MalformedReply(`${word.path} is not one of ${words.join(', ')}`)
  return known
}
