import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import type { StopUse } from '../../src/roll/model/stop-use.ts'
import type { NodeObject } from '../../src/sim/actors/node-object.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended, start } from './evenkeel-process.ts'

test('a real server fails so many requests of the real prober while a node is out, or becomes slow: the roll goes on and stops as its file allows', async (t) => {
  const { folder, cluster, letReboot } = await anEmbeddedRoll(t)
  await letReboot()
  const isOut = (): boolean =>
    ([...cluster.world.store.all(NODES)] as NodeObject[]).some(({ spec }) => spec?.unschedulable === true)
  let toFail = 0
  let isSlow = (): boolean => false
  const server = createServer((_, response) => {
    if (toFail > 0 && isOut()) {
      toFail -= 1
      response.writeHead(503).end('away')
    } else if (isSlow()) setTimeout(() => response.end('ok'), 1_500)
    else response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const file = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const [path, state] = [join(folder, 'stops.yaml'), join(folder, 'state')]
  const place = ['--kubeconfig', join(folder, 'my kube.yaml'), '--state-dir', state]
  const write = (stop: object): Promise<void> => {
    const spec = {
      ...file.spec,
      // A machine under load is no fault of the server.
      probes: [{ name: 'shop', url, rate: 20, timeout: '10s' }],
      baseline: { duration: '2s', limit: '4s' },
      settle: { dataPort: false, timesInARow: 1 },
      soak: '1s',
      stop,
    }
    return writeFile(path, stringify({ ...file, spec }))
  }
  const roll = (...words: readonly string[]): Promise<Ended> =>
    ended(start(['roll', ...words, ...place, '-o', 'json'], {}))
  const rolled = (): Promise<Ended> => roll('-f', path, '--yes')
  const usesOf = ({ out }: Ended): readonly StopUse[] => JSON.parse(out).stop

  await write({ failedRequests: { inAll: 3 } })
  const plan = await ended(start(['roll', '-f', path, '--dry-run', ...place]))
  assert.match(plan.out, /^Stops {2}at more than 3 failed requests in all$/m)

  toFail = 4
  const stopped = await rolled()
  assert.equal(stopped.code, 1, stopped.err)
  assert.match(
    stopped.err,
    /STOPPED +after \d of 2 nodes: 4 requests failed, and\s+stop.failedRequests.inAll\s+allows 3: \d at n1,/,
  )
  assert.match(stopped.err, /used +failed requests: 4 of 3 allowed/)
  // What happened before the stop does not count again.
  toFail = 3
  const resumed = await roll('resume')
  assert.equal(resumed.code, 0, resumed.err)
  assert.deepEqual(usesOf(resumed), [{ rule: 'failedRequests', used: 3, allowed: 3 }])
  assert.match(resumed.err, /^DONE .*7 failed of [\d,]+\s+requests, 3 allowed/m)

  await write({ latency: [{ slowerThan: '1s', share: '20%', over: '5s' }] })
  isSlow = isOut
  const slow = await rolled()
  assert.equal(slow.code, 1, slow.err)
  assert.match(
    slow.err.replace(/\s+/g, ' '),
    /STOPPED after \d of 2 nodes: [\d.]+ % of the requests to shop in 5 s took longer than 1 s/,
  )
  isSlow = () => true
  const before = await rolled()
  assert.equal(before.code, 3, before.err)
  assert.match(before.err.replace(/\s+/g, ' '), /HELD .*more than 20 % of the requests to shop took longer/)
})
