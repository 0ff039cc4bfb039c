import { present } from '../../ground/model/present.ts'
import { actuatorAt } from '../../service/actuators/actuator-of.ts'
import { isStillOut } from '../decide/resume/still-out.ts'
import { hookKey } from '../model/step-hook.ts'
import type { GatherParts } from './gather.ts'
import { recordOf } from './last-seen.ts'
import { forgetBefore, nodeEnded } from './run-state.ts'

type Parts = Pick<GatherParts, 'run' | 'view' | 'pollers' | 'budget' | 'events'>

/**
 * Asks each balancer once. Then it leaves what the journal says of nodes that were put back since the last process: by hand, or by
 * `abort` on another machine. Such a node is begun anew, unless it was rebooted: no roll reboots a node twice. Judged once, since this
 * process is to take slots of its own.
 */
export async function firstPolls({ run, view, pollers, budget, events }: Parts, signal: AbortSignal): Promise<void> {
  await Promise.all(pollers.map((poller) => poller.poll(signal)))
  const found = Object.entries(run.recordsBefore ?? {}).flatMap(([name, { record, isSent }]) => {
    const node = view.node(name)
    return node === undefined ? [] : [{ run: run.id, node, record, isSent }]
  })
  const isUnsure = found.some(({ node }) => recordOf(node)?.run !== run.id)
  const slots = present({ budget: isUnsure ? await budget?.read(signal) : undefined })
  const instances = pollers.map((poller) => {
    const read = poller.snapshot()
    return actuatorAt(run.spec.balancers, read.balancer).asAsked(read, (name) => view.node(name))
  })
  for (const left of found.filter((one) => !isStillOut({ ...one, instances, ...slots }))) {
    const { name, bootId } = left.node
    const isRebooted = left.isSent && bootId !== '' && bootId !== left.record.bootId
    forgetBefore(run, name)
    events.note('putBack', { node: name })
    if (isRebooted) {
      events.note('through', { node: name })
      nodeEnded(run, { node: name, state: 'inService' })
    }
    const then = isRebooted
      ? `it was rebooted, and is not begun again${hooksLeft(run, name)}`
      : 'this run has nothing of it out any more'
    const text = `${name} was put back since an earlier process of this run took it out: ${then}`
    events.emit({ type: 'warning', node: name, text })
  }
}

/** A node that is not begun again has no step in which its hooks are undone. */
function hooksLeft({ spec, hooksBefore = {} }: GatherParts['run'], node: string): string {
  const names = (spec.hooks ?? [])
    .filter(({ name, undo }) => undo !== undefined && hooksBefore[hookKey(node, 'run', name)] !== undefined)
    .map(({ name }) => `"${name}"`)
  return names.length === 0 ? '' : `; hook ${names.join(', ')} has run for it and is not undone: undo it by hand`
}
