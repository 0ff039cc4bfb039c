import { unannounceCommand } from '../../../ground/model/announced-conditions.ts'
import type { Node } from '../../../ground/model/node.ts'
import { commandText } from '../../../ground/model/sentence.ts'
import type { Cluster } from '../../../ground/ports/cluster.ts'
import { announcedOn } from '../../decide/announce/conditions-wanted.ts'
import { recordOf } from '../last-seen.ts'
import { answered, type RunEnding, requireLiveSlot, untilNoneLeft } from '../until-none-left.ts'
import { setWithin } from './condition-keeper.ts'

interface Withdrawing extends RunEnding {
  readonly cluster: Pick<Cluster, 'list' | 'setConditions'>
}

/**
 * At the end of a run no node announces its work any more, but those that it leaves out: they bear its record. The list is asked,
 * since a process that was killed may have left some, and a watch may lag.
 */
export async function withdrawConditions(parts: Withdrawing, signal: AbortSignal): Promise<void> {
  const { run, view, events, cluster } = parts
  let left = over(view.reading().nodes, run.id)
  if (run.spec.announce === undefined && left.length === 0) return
  const failure = await untilNoneLeft(
    parts,
    async () => {
      left = over(await answered(parts, (limited) => cluster.list('nodes', limited), signal), run.id)
      if (left.length > 0) requireLiveSlot(parts)
      const failures = await Promise.all(left.map((node) => withdraw(parts, node, signal)))
      return { found: left.length, failure: failures.find((text) => text !== undefined) }
    },
    signal,
  )
  if (failure === undefined) return
  for (const node of left) events.emit({ type: 'warning', node: node.name, text: leftText(node, run.id, failure) })
}

const over = (nodes: readonly Node[], run: string): readonly Node[] =>
  nodes.filter((node) => announcedOn(node, run).length > 0 && recordOf(node)?.run !== run)

async function withdraw(parts: Withdrawing, node: Node, signal: AbortSignal): Promise<string | undefined> {
  const conditions = Object.fromEntries(announcedOn(node, parts.run.id).map((type) => [type, null]))
  const failure = await setWithin(parts, { node: node.name, uid: node.uid, conditions }, signal)
  if (failure !== undefined) return failure.message
  const text = `announce nothing on ${node.name}`
  parts.events.emit({ type: 'write', node: node.name, action: 'setConditions', text, ok: true })
  return undefined
}

const leftText = (node: Node, run: string, failure: string): string =>
  `${node.name} still announces the work of this run (${failure}); to remove that: ${commandText(unannounceCommand(node.name, announcedOn(node, run)))}`
