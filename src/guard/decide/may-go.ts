import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { ByHand } from '../model/node-guard.ts'
import type { Released } from './action.ts'
import { type GroupNode, type GuardPass, isOver, type Member, releaseOf, requestedAt } from './pass.ts'
import type { GuardView, HoldVerdict } from './snapshot.ts'

/** Whether the holds of a node let it go. */
type HoldAnswer =
  | { readonly kind: 'clear' }
  | ({ readonly kind: 'released' } & Released)
  | { readonly kind: 'held'; readonly reasons: readonly Reason[] }

/**
 * Whether the holds of all guards of a node let it go. Once the node is granted, the holds of evicted guards do not count. Before the grant
 * they count even if the guard was deleted.
 *
 * Law: a hold that is not known to be clear holds its node.
 */
export function mayGo(pass: GuardPass, x: GroupNode): HoldAnswer {
  const answers = x.wanted
    .filter(({ isThere }) => isThere || x.claim === undefined)
    .map((member) => ofMember(pass, x, member))
  const held = answers.flatMap((answer) => (answer.kind === 'held' ? answer.reasons : []))
  if (held.length > 0) return { kind: 'held', reasons: held }
  return answers.find(({ kind }) => kind === 'released') ?? { kind: 'clear' }
}

/** What the holds of one guard say of a node. */
export function ofMember(pass: GuardPass, x: GroupNode, member: Member): HoldAnswer {
  const { s } = pass
  const { guard } = member.view
  const held = heldBy(s.now, member)
  if (held.length === 0) return { kind: 'clear' }
  const passedOver = held.map(({ text }) => text).join('; ')
  const release = releaseOf(member.view, x.name, s.now)
  if (release !== undefined) {
    const { by, why } = release
    return { kind: 'released', by, ...present({ why }), passedOver }
  }
  const { maxHold } = guard.spec
  const isByHand = held.some(({ code }) => code === 'HeldByHand')
  const isOver = maxHold !== undefined && s.now - requestedAt(pass, x) >= maxHold.afterMs
  return isOver && maxHold.policy === 'Release' && !isByHand
    ? { kind: 'released', by: 'maxHold', passedOver }
    : { kind: 'held', reasons: held }
}

function heldBy(now: WallMs, { view, n }: Member): readonly Reason[] {
  const { heldByHand, spec } = view.guard
  const object = n.name
  const entry = heldByHand.entries.find(({ node, until }) => node === n.name && !isOver(until, now))
  const byHand: readonly Reason[] =
    heldByHand.unreadable !== undefined
      ? [
          {
            code: 'HeldByHand',
            object,
            text: `every node is held, since the holds by hand cannot be read: ${heldByHand.unreadable}`,
          },
        ]
      : entry === undefined
        ? []
        : [{ code: 'HeldByHand', object, text: `${n.name} is held by ${personOf(entry)}` }]
  if (view.isRefused === true)
    return [
      ...byHand,
      {
        code: 'HoldUnknown',
        object,
        text: `NodeGuard ${view.guard.name} makes no sense, so it is not known what holds ${object}`,
      },
    ]
  if (spec.holds.length === 0) return byHand
  if (n.verdicts === undefined)
    return [...byHand, { code: 'HoldUnknown', object, text: `the holds of ${n.name} have not been read yet` }]
  const verdicts = n.verdicts
  const missing = spec.holds.filter(({ name }) => !verdicts.some(({ hold }) => hold === name))
  return [
    ...byHand,
    ...verdicts.filter(({ kind }) => kind !== 'clear').map((verdict) => verdictReason(object, verdict)),
    ...missing.map(
      ({ name }): Reason => ({ code: 'HoldUnknown', object, text: `hold ${name} of ${object} has not been read yet` }),
    ),
  ]
}

const verdictReason = (object: string, { hold, kind, text }: HoldVerdict): Reason =>
  kind === 'held'
    ? { code: 'HoldStands', object, text: `${object} is held by ${hold}: ${text}` }
    : { code: 'HoldUnknown', object, text: `it is not known whether ${hold} holds ${object}: ${text}` }

const personOf = ({ by, why, until }: ByHand): string =>
  `${by}${until === undefined ? '' : ` until ${until}`}${why === undefined ? '' : `: ${why}`}`

export const targetGone = ({ guard: { namespace, name, spec } }: GuardView): Reason => ({
  code: 'TargetGone',
  object: name,
  text: `there is no DaemonSet ${spec.follow.kind === 'daemonSet' ? spec.follow.name : ''} in namespace ${namespace}, and ${name} follows it`,
})
