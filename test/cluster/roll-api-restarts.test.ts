import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { STEPS, type Step } from '../../src/model/step.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { until } from '../support/roll-bed/until.ts'

const real = requires('testbed')

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  // A pod that was evicted in the moment before the API server goes is sent to until kube-proxy has come back to it.
  if (real.skip === false)
    opened = await RollBed.open({
      fast: true,
      database: false,
      graceSeconds: 25,
      monitorGraceSeconds: 50,
    })
})
after(async () => opened?.close())

/** Every step once, spread over the nodes so that the pause before evictions comes once for several of them. */
const DUE: readonly { readonly node: string; readonly steps: readonly Step[] }[] = [
  { node: 'n1', steps: ['drain', 'reboot', 'proof', 'uncordon', 'settle', 'attach'] },
  { node: 'n2', steps: ['slot', 'record', 'cordon', 'detach'] },
  { node: 'n3', steps: ['soak'] },
]

/** In this step it stays away for a minute. */
const LONG: Step = 'proof'

test('an API server killed and started again in every step costs no request', {
  ...real,
  timeout: 1_200_000,
}, async (t) => {
  const judged = await unlessVoid(t, restartedInEveryStep)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

async function restartedInEveryStep(): Promise<Judgement> {
  const boots = new BootCounter(bed().bed)
  const judge = bed().judge()
  // The controllers, too, come back to the API server with a back-off of up to a minute.
  const ssh = { command: ['systemctl', 'reboot'], configFile: bed().bed.sshConfig }
  const reboot = { ssh, resendAfter: '20s', returnLimit: '180s' }
  const roll = bed().roll('-f', bed().file({ spec: { reboot } }), '--yes')
  const due = DUE.flatMap(({ node, steps }) => steps.map((step) => ({ step, node })))
  assert.deepEqual(due.map(({ step }) => step).toSorted(), STEPS.toSorted(), 'every step has its restart')
  for (const { step, node } of due) {
    await roll.untilStep(step, node)
    await bed().bed.api.kill()
    if (step === LONG) await pause(60_000)
    await bed().bed.api.start()
  }
  const end = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  assert.deepEqual(await boots.stop(), { n1: 1, n2: 1, n3: 1 })
  // The taint that goes with a cordon is the node lifecycle controller's, which comes back late like all the others.
  await until({ what: 'nothing to be left behind', limitMs: 90_000 }, async () =>
    (await bed().leftovers()).length === 0 ? true : undefined,
  )
  return judged
}
