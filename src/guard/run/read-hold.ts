import { withDeadline } from '../../ground/loop/deadline.ts'
import { fillHoldUrl } from '../../ground/model/hold-url.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { VolumeAttachment } from '../../ground/model/volume.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { HoldVerdict } from '../decide/snapshot.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import { askObject } from '../holds/object-hold.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import type { Hold, HoldKindName } from '../model/holds/hold-kinds.ts'
import { labelText } from '../model/label-text.ts'

/** A verdict without the name of the hold. */
type Said = Omit<HoldVerdict, 'hold'>

/** The part of a node that is known from the watches. */
interface Known {
  readonly node: Node
  readonly attachments: readonly VolumeAttachment[]
}

export interface Asked {
  readonly objects: Pick<Objects, 'get' | 'list'>
  readonly rules: ObjectRules
  readonly source: HoldSource
  readonly clock: Clock
}

interface Asking extends Asked {
  /** Of the NodeGuard. */
  readonly namespace: string
  readonly node: Node
  readonly signal: AbortSignal
}

/** `local` needs no request. `remote` sends one, and rejects if there is no answer. */
type Reading<Kind extends HoldKindName> =
  | { readonly local: (hold: Hold<Kind>, known: Known) => Said }
  | { readonly remote: (hold: Hold<Kind>, asking: Asking) => Promise<Said> }

/**
 * The account by whose rights the API is read for the NodeGuards of a namespace. It has no rights but those that people give it for their
 * holds. A pod of the namespace may run as this account, and who may write a NodeGuard may run a pod: so nobody reads by a hold what he could
 * not read without one.
 */
const holdAccount = (namespace: string): string => `system:serviceaccount:${namespace}:${HOLD_ACCOUNT}`
const HOLD_ACCOUNT = 'evenkeel-holds'

const CALL_LIMIT_MS = 5_000
const NAMED_AT_MOST = 3

/** How each kind of hold is read. */
const READINGS: { readonly [Kind in HoldKindName]: Reading<Kind> } = {
  volumes: {
    local: ({ drivers }, { attachments }) => {
      const left = attachments.filter(({ attacher }) => drivers.length === 0 || drivers.includes(attacher))
      const names = left.map(({ persistentVolumeName = '', name }) => persistentVolumeName || name)
      return left.length === 0
        ? { kind: 'clear', text: 'no volume is attached' }
        : { kind: 'held', text: `volumes are attached: ${some(names)}` }
    },
  },
  pods: { remote: (hold, asking) => inTime(hold, asking, (signal) => podsOf(hold, { ...asking, signal })) },
  http: { remote: answerOf },
  object: {
    remote: (hold, asking) =>
      inTime(hold, asking, async (signal) => {
        const as = holdAccount(asking.namespace)
        const question = { ...hold, rule: hold.clearWhen }
        const answer = await askObject(
          question,
          { ...asking, of: asking.namespace, as, node: asking.node.name },
          signal,
        )
        const kinds = { true: 'clear', false: 'held', unknown: 'unknown' } as const
        return { kind: kinds[answer.kind], text: answer.text }
      }),
  },
  annotation: {
    local: ({ key }, { node }) =>
      node.annotations[key] === undefined
        ? { kind: 'clear', text: `the Node does not have the annotation ${key}` }
        : { kind: 'held', text: `the Node has the annotation ${key}` },
  },
}

const readingOf = <Kind extends HoldKindName>(hold: Hold<Kind>): Reading<Kind> => READINGS[hold.kind]

/** The hold is read by a request. */
export const isRemote = (hold: Hold): boolean => 'remote' in readingOf(hold)

/** Undefined: the hold is read by a request. */
export function localVerdict<Kind extends HoldKindName>(hold: Hold<Kind>, known: Known): HoldVerdict | undefined {
  const reading = readingOf(hold)
  return 'local' in reading ? { hold: hold.name, ...reading.local(hold, known) } : undefined
}

/** Undefined: the hold needs no request. Rejects if there is no answer. */
export async function remoteVerdict<Kind extends HoldKindName>(
  hold: Hold<Kind>,
  asking: Asking,
): Promise<HoldVerdict | undefined> {
  const reading = readingOf(hold)
  return 'remote' in reading ? { hold: hold.name, ...(await reading.remote(hold, asking)) } : undefined
}

function inTime(
  { name }: Hold,
  { clock, signal }: Asking,
  ask: (limited: AbortSignal) => Promise<Said>,
): Promise<Said> {
  return withDeadline({ clock, limitMs: CALL_LIMIT_MS, signal, what: `hold ${name}` }, ask)
}

async function answerOf({ url, jsonPath, equals, timeoutMs }: Hold<'http'>, asking: Asking): Promise<Said> {
  const { node, source, signal, namespace: of } = asking
  const [address = ''] = node.internalAddresses
  if (address === '' && url.includes('{address}'))
    return { kind: 'unknown', text: `${node.name} has no internal address` }
  const filled = fillHoldUrl(url, { node: node.name, address })
  const answer = await source.ask({ of, url: filled, timeoutMs, ...present({ jsonPath, equals }) }, signal)
  return answer.kind === 'unknown'
    ? { kind: 'unknown', text: answer.why }
    : { kind: answer.kind, text: answer.evidence }
}

/** Pods of the NodeGuard's own namespace are read with our rights: who may write a NodeGuard there may run pods there. */
async function podsOf(
  { namespace, selector }: Hold<'pods'>,
  { objects, node, signal, namespace: own }: Asking,
): Promise<Said> {
  const as = namespace === own ? undefined : holdAccount(own)
  const labelSelector = labelText(selector)
  const fieldSelector = `spec.nodeName=${node.name}`
  const found = await objects.list({ kind: PODS, ...present({ namespace, as }), labelSelector, fieldSelector }, signal)
  const left = found.filter(({ isFinished }) => !isFinished).map((pod) => `${pod.namespace}/${pod.name}`)
  return left.length === 0
    ? { kind: 'clear', text: `no pod with ${labelSelector} is on the node` }
    : { kind: 'held', text: `pods are on the node: ${some(left)}` }
}

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
