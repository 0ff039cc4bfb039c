import type { Reason } from '../../ground/model/reason.ts'
import { isBackInService, mayBeDark } from '../../service/decide/keep-detached.ts'
import { type Action, actionKey, removesPod } from '../../service/model/action.ts'
import { decide } from '../decide/decide.ts'
import { judge } from '../decide/judge.ts'
import type { NodeSnapshot } from '../decide/node-snapshot.ts'
import { decideMachine } from '../decide/pair/decide-machine.ts'
import type { MachineSnapshot } from '../decide/pair/machine-snapshot.ts'
import { serviceOf } from '../decide/service-of.ts'
import type { MachineAction } from '../model/host-pair.ts'

interface LastMoment {
  /** The snapshot that was decided by, with what balancers and the probe have said since; absent where no node is under way. */
  readonly now: () => NodeSnapshot | undefined
  /** Asks these instances, or all of them. */
  readonly poll: (instances?: ReadonlySet<string>) => Promise<void>
  /** What is done now, said in the same moment as it is decided: of two lanes one is the first. */
  readonly begin?: (actions: readonly Action[]) => void
}

/**
 * What of a decision still holds right before it is done: the journal may have been slow, and what a balancer said is some
 * time old. A reload since then would have a machine rebooted that is sent to, or sessions cut that have just begun; and the
 * last usable server would be taken out where people took the others out meanwhile. Pods would leave a node that a balancer
 * sends to again: one that hangs counts as silent only after its limit. A cordon takes a node out as well: its agent leaves
 * because of it, and load balancers of clouds drop the node. Requests that failed meanwhile stop the
 * roll with the next pass: no node is taken out of service before that.
 */
export async function stillRight(
  meant: readonly Action[],
  { now, poll, begin }: LastMoment,
): Promise<readonly Action[]> {
  if (meant.some(({ kind }) => kind === 'writeIntent' || kind === 'sendReboot')) {
    await poll()
    const s = now()
    const isBegun = meant.some((action) => action.kind === 'sendReboot' || ('again' in action && action.again))
    // Another lane may have stopped the roll meanwhile: a reboot that is announced cannot be taken back.
    return isOut(s) && (isBegun || (s.run.verdict === undefined && !stops(s))) ? meant : []
  }
  const before = now()
  if (before === undefined) return meant
  const isForServing = !mayBeDark(serviceOf(before))
  const isOpen = (action: Action): boolean => needsNodeOut(action) || (isForServing && takesOut(action))
  if (!meant.some(isOpen)) return meant
  await poll(meant.some((action) => action.kind === 'cordon' || removesPod(action)) ? undefined : instancesOf(meant))
  const s = now() ?? before
  if (stops(s)) return meant.filter((action) => !isOpen(action))
  const decision = decide(s)
  const keys = new Set(decision.kind === 'act' ? decision.actions.map(actionKey) : [])
  const right = meant.filter((action) => !isOpen(action) || keys.has(actionKey(action)))
  begin?.(right)
  return right
}

/**
 * Why an effect on a machine of a load balancer is not right any more, by what its pair and its instances answered right before it: the
 * pair is not whole, or an address has come back. Undefined: it still is right.
 */
export function notRightForMachine(meant: MachineAction, s: MachineSnapshot): string | undefined {
  const verdict = s.run.verdict === undefined ? judge(s) : undefined
  const decision = decideMachine(s)
  const isRight = decision.kind === 'act' && decision.actions.some(({ kind }) => kind === meant.kind)
  return verdict === undefined && isRight ? undefined : textsOf(verdict ?? decision)
}

export const instancesOf = (actions: readonly Action[]): ReadonlySet<string> =>
  new Set(actions.flatMap((action) => ('ref' in action ? [action.ref.instance] : [])))

/** No server of it is in service, as every instance says. */
const isOut = (s: NodeSnapshot | undefined): s is NodeSnapshot =>
  s !== undefined && !isBackInService(serviceOf(s)) && s.instances.every(({ silentForMs }) => silentForMs === 0)

/** What stood against an effect that is not right any more, in words. */
export function whyNot(s: NodeSnapshot | undefined): string {
  if (s === undefined) return 'no node is under way any more'
  const silent = s.instances.filter(({ silentForMs }) => silentForMs > 0).map(({ instance }) => instance)
  if (silent.length > 0) return `${silent.join(', ')} did not answer`
  const verdict = s.run.verdict === undefined ? judge(s) : undefined
  if (verdict === undefined && isBackInService(serviceOf(s))) return `${s.current.node.name} is in service again`
  return textsOf(verdict ?? decide(s))
}

const textsOf = ({ reasons }: { readonly reasons: readonly Reason[] }): string =>
  reasons.map(({ text }) => text).join('; ')

const stops = (s: NodeSnapshot): boolean => s.run.verdict === undefined && judge(s) !== undefined

/** It is right only while the node is out, so every balancer is asked first. */
const needsNodeOut = (action: Action): boolean => action.kind === 'cutSessions' || removesPod(action)

const takesOut = (action: Action): boolean => action.kind === 'cordon' || ('restores' in action && !action.restores)
