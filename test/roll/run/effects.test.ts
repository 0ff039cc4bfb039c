import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { Effects } from '../../../src/roll/run/effects.ts'
import { EventLog } from '../../../src/roll/run/event-log.ts'
import { NodeOverlay } from '../../../src/roll/run/node-overlay.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const ROWS: readonly (readonly [answer: RebootAnswer, text: string, ok: boolean])[] = [
  [{ kind: 'sent' }, 'reboot n1', true],
  [{ kind: 'unsent', text: 'no route' }, 'reboot n1: it was not sent: no route', false],
  [{ kind: 'unknown', text: 'cut' }, 'reboot n1: it is not known whether it arrived: cut', true],
  [{ kind: 'otherBoot', bootId: 'b-2' }, 'reboot n1: nothing was done, since the machine has boot id b-2', false],
]

for (const [reboot, text, ok] of ROWS) {
  test(`a reboot command that is answered with ${reboot.kind} is reported as such`, async () => {
    const said: StampedEvent[] = []
    const journal = { run: 'run-1', append: () => Promise.resolve() }
    const events = new EventLog({ journal, clock: new VirtualClock(), sink: (event) => said.push(event), firstSeq: 0 })
    const performer = { perform: async () => ({ ok: true, reboot }) as const }
    const effects = new Effects({ performer, events, overlay: new NodeOverlay() })
    await effects.do({ kind: 'sendReboot', node: 'n1', bootId: 'b-1' }, new AbortController().signal)
    assert.deepEqual(
      said.map((event) => event.type === 'write' && [event.text, event.ok]),
      [[text, ok]],
    )
  })
}
