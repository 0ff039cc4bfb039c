import { readFile } from 'node:fs/promises'
import type { PlanEnd } from '../../src/demo/demo-actions.ts'
import type { RollActions } from '../../src/roll/cli/roll-actions.ts'
import { loadRollFile } from '../../src/roll/file/load-roll-file.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'

interface RollOfOurs {
  readonly rollFile: string
  readonly kubeconfig: string
  readonly stateDir: string
  readonly tell: (node: string, step: string) => void
}

/** `evenkeel roll -f roll.yaml --yes`, as on any cluster. */
export async function rollOfOurs(
  actions: RollActions,
  { rollFile, kubeconfig, stateDir, tell }: RollOfOurs,
  signal: AbortSignal,
): Promise<PlanEnd> {
  const spec = loadRollFile({ file: rollFile, text: await readFile(rollFile, 'utf8') })
  const request = { spec, kubeconfig, stateDir }
  const plan = await actions.plan(request, signal)
  let strays = 0
  let end: Extract<StampedEvent, { type: 'roll.ended' }> | undefined
  // A node that a stopped roll keeps out is guarded until it is interrupted; the demo ends there.
  const stop = new AbortController()
  const onEvent = (event: StampedEvent): void => {
    if (event.type === 'step.started') tell(event.node, event.step)
    if (event.type === 'node.ended') tell(event.standing.node, 'done')
    if (event.type === 'stray') strays += event.count
    if (event.type === 'roll.ended') {
      end = event
      stop.abort(new DOMException('the roll is over', 'AbortError'))
    }
  }
  await actions.roll({ ...request, plan }, { onEvent, interrupt: AbortSignal.any([signal, stop.signal]) })
  if (end?.outcome === 'completed') return { strays }
  const why = end?.reasons.map(({ text }) => text).join('; ') ?? 'it did not begin'
  return { strays, failure: `${end?.outcome ?? 'refused'}: ${why}` }
}
