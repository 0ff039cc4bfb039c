import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import { NodeHttpProbe } from '../../../src/ground/net/node-http-probe.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import { Sampler } from '../../../src/roll/probe/sampler.ts'
import { LoadWatch } from '../../../src/roll/run/load-watch.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { answer, aServer } from '../../ground/net/a-server.ts'
import { aTarget } from '../decide/availability/a-sample.ts'

test('a server that resets each second request on a kept connection is named by a warning, and no request has failed', async (t) => {
  const server = await aServer(t, (socket, nth) => {
    if (nth === 1) socket.write(answer())
    else socket.resetAndDestroy()
  })
  const http = new NodeHttpProbe()
  t.after(() => http.close())
  const targets = [aTarget({ name: 'shop', url: server.url })]
  const source = {
    run: (emit: (signal: ProbeSignal) => void, signal: AbortSignal): Promise<void> =>
      new Sampler({ targets, http, clock: systemClock, emit }).run(signal),
  }
  const probe = new LedgerProbe({ targets, source, clock: systemClock })
  const events: RollEvent[] = []
  const watch = new LoadWatch({
    probe,
    spec: { targets, baselineMs: 0, baselineLimitMs: 0 },
    clock: systemClock,
    steps: () => [],
    reloads: () => [],
    answeredSince: () => true,
    strays: () => 0,
    emit: (event) => events.push(event),
  })
  const stop = new AbortController()
  const running = probe.run(() => undefined, stop.signal)
  const watching = watch.run(stop.signal).catch(() => undefined)
  t.after(async () => {
    stop.abort(new Error('enough'))
    await Promise.all([running, watching])
  })
  const warning = await waitFor({ what: 'a warning', limitMs: 30_000 }, () =>
    events.find((event) => event.type === 'warning'),
  )
  assert.match(warning.text, /^shop closed the kept connection of \d+ of \d+ requests before it answered/)
  const { failed, retried = 0 } = watch.tick()
  assert.equal(failed, 0)
  assert.ok(retried >= 10, String(retried))
})
