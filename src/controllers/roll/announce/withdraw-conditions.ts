import { announcedOn } from '../../../core/roll/announce/conditions-wanted.ts'
import { unannounceCommand } from '../../../model/announced-conditions.ts'
import type { Node } from '../../../model/node.ts'
import { WorldError } from '../../../model/world-error.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Cluster } from '../../../ports/cluster.ts'
import type { Random } from '../../../ports/random.ts'
import { Backoff } from '../../../runtime/backoff.ts'
import { DeadlineError, withDeadline } from '../../../runtime/deadline.ts'
import type { LeaseKeeper } from '../../../runtime/lease-keeper.ts'
import type { ClusterView } from '../cluster-view.ts'
import type { EventLog } from '../event-log.ts'
import { recordOf } from '../last-seen.ts'
import type { RunState } from '../run-state.ts'
import { setWithin } from './condition-keeper.ts'

interface Withdrawing {
  readonly run: RunState
  readonly cluster: Pick<Cluster, 'list' | 'setConditions'>
  readonly view: Pick<ClusterView, 'facts'>
  readonly keeper: Pick<LeaseKeeper, 'state' | 'mayAct'>
  readonly events: Pick<EventLog, 'emit'>
  readonly clock: Clock
  readonly random: Random
}

/** A person who has pressed Ctrl-C waits no longer than that for an API server. */
const LIMIT_MS = 15_000
const ANSWER_MS = 5_000
const AGAIN = { baseMs: 400, capMs: 4_000 }

/**
 * At the end of a run no node announces its work any more, but those that it leaves out: they bear its record. The list is asked,
 * since a process that was killed may have left some, and a watch may lag.
 */
export async function withdrawConditions(parts: Withdrawing, signal: AbortSignal): Promise<void> {
  const { run, view, events, clock, random } = parts
  let left = over(view.facts().nodes, run.id)
  if (run.spec.announce === undefined && left.length === 0) return
  const backoff = new Backoff(AGAIN, random)
  const until = clock.monoMs() + LIMIT_MS
  for (;;) {
    const failure = await tried(async () => {
      const asked = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
      left = over(await withDeadline(asked, (limited) => parts.cluster.list('nodes', limited)), run.id)
      if (left.length > 0 && !mayWrite(parts))
        throw new WorldError('the slot is not renewed', { code: 'SLOT_LAPSED', retry: 'backoff' })
      const failures = await Promise.all(left.map((node) => withdraw(parts, node, signal)))
      return failures.find((text) => text !== undefined)
    })
    if (failure === undefined && left.length === 0) return
    if (failure === undefined) continue
    if (clock.monoMs() >= until) {
      for (const node of left) events.emit({ type: 'warning', node: node.name, text: leftText(node, run.id, failure) })
      return
    }
    await clock.sleep(backoff.nextMs(), signal)
  }
}

const over = (nodes: readonly Node[], run: string): readonly Node[] =>
  nodes.filter((node) => announcedOn(node, run).length > 0 && recordOf(node)?.run !== run)

const mayWrite = ({ keeper }: Withdrawing): boolean => keeper.state().kind === 'free' || keeper.mayAct()

async function withdraw(parts: Withdrawing, node: Node, signal: AbortSignal): Promise<string | undefined> {
  const conditions = Object.fromEntries(announcedOn(node, parts.run.id).map((type) => [type, null]))
  const failure = await setWithin(parts, { node: node.name, uid: node.uid, conditions }, signal)
  if (failure !== undefined) return failure.message
  const text = `announce nothing on ${node.name}`
  parts.events.emit({ type: 'write', node: node.name, action: 'setConditions', text, ok: true })
  return undefined
}

/** What the world refused; undefined: nothing. */
async function tried(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WorldError || error instanceof DeadlineError) return error.message
    throw error
  }
}

const leftText = (node: Node, run: string, failure: string): string =>
  `${node.name} still announces the work of this run (${failure}); to remove that: ${unannounceCommand(node.name, announcedOn(node, run))}`
