import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { metricNames } from '../support/metric-names.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { ended, start } from './evenkeel-process.ts'

/** A server on loopback that answers each request with 200. */
async function aServer(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('ok'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const metric = (text: string, series: RegExp): number =>
  Number(new RegExp(`^evenkeel_roll_${series.source} (\\S+)$`, 'm').exec(text)?.[1])

test('the metrics of a roll are served while it runs, and its file has them after its end', async (t) => {
  const { folder, cluster, letReboot } = await anEmbeddedRoll(t)
  const port = await aServer(t)
  const path = join(folder, 'measured.yaml')
  const file = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const probes = [{ name: 'shop', url: `http://127.0.0.1:${port}/`, rate: 20 }]
  await writeFile(path, stringify({ ...file, spec: { ...file.spec, probes, baseline: { duration: '1s' } } }))
  const prom = join(folder, 'roll.prom')
  const words = (...more: readonly string[]): readonly string[] => [
    ...['roll', '-f', path, '--yes', '--kubeconfig', join(folder, 'my kube.yaml')],
    ...['--state-dir', join(folder, 'state'), '--metrics-file', prom, ...more],
  ]

  // A port that is taken is an error before anything is touched.
  const taken = await ended(start(words('--metrics-port', String(port))))
  assert.equal(taken.code, 2, taken.err)
  assert.match(taken.err, new RegExp(`^error: port ${port} is taken by .* \\(PORT_TAKEN\\)`, 'm'))
  const entries = await readdir(folder)
  assert.deepEqual([entries.includes('state'), entries.includes('roll.prom')], [false, false])

  const child = start(words('--metrics-port', '0', '--progress', 'plain'))
  t.after(() => child.kill('SIGKILL'))
  const end = ended(child)
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  const url = await waitFor({ what: 'the address', limitMs: 30_000 }, async () => /metrics: (\S+)/.exec(said)?.[1])
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/)

  // n1 stays in its reboot until it may; the requests of the baseline do not count.
  const during = await waitFor({ what: 'n1 at its reboot', limitMs: 60_000 }, async () => {
    const response = await fetch(url)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    const isThere = /^evenkeel_roll_step_seconds\{node="n1",step="reboot"\}/m.test(text)
    return isThere && metric(text, /requests_total/) > 0 ? text : undefined
  })
  assert.match(
    during,
    /^evenkeel_roll_info\{run="\d{8}T\d{6}Z-[0-9a-f]{4}",roll="it",context="it",version="[^"]+"\} 1$/m,
  )
  assert.equal(metric(during, /nodes/), 2)
  assert.equal(metric(during, /requests_failed_total/), 0)
  assert.ok(metric(during, /latency_baseline_p99_seconds/) > 0, during)
  assert.doesNotMatch(during, /^evenkeel_roll_exit_code/m)
  const ofFile = await waitFor({ what: 'the file', limitMs: 30_000 }, async () => {
    const text = await readFile(prom, 'utf8')
    return text.includes('step="reboot"') ? text : undefined
  })
  assert.deepEqual(metricNames(ofFile), metricNames(during))
  assert.equal((await fetch(new URL('/', url))).status, 404)

  await letReboot()
  const { code, err } = await end
  assert.equal(code, 0, err)
  const after = await readFile(prom, 'utf8')
  assert.deepEqual(
    [/nodes_done/, /exit_code/, /outcome\{outcome="completed"\}/].map((name) => metric(after, name)),
    [2, 0, 1],
  )
  assert.ok(metric(after, /requests_total/) >= metric(during, /requests_total/))
  assert.ok(metric(after, /target_requests_total\{target="[^"]+"\}/) > 0, after)
  assert.doesNotMatch(after, /^evenkeel_roll_step_seconds\{/m)
  assert.deepEqual(
    ['n1', 'n2'].map((name) => cluster.machines.get(name)?.boots),
    [2, 2],
  )
})
