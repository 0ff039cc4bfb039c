import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { DnsCluster } from '../../bin/demo/dns/dns-cluster.ts'
import { dnsDemoActions } from '../../bin/demo/dns/dns-demo-actions.ts'
import { repairOfOurs } from '../../bin/demo/dns/repair-of-ours.ts'
import type { DnsCheck } from '../../src/dns/run/check-dns.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { demoProcess, endsByInterrupt } from '../support/demo-process.ts'

/** From here on a query is lost for want of a processor. */
const STALLED_MS = 1_000

/** What it measured. A run whose process got no turn for so long is void, and made once more. */
async function measured(t: TestContext, isLast = false) {
  const { folder, said, printed, ended } = demoProcess(t, ['--dns', '-o', 'json'])
  const [code] = await ended
  const document = JSON.parse(await printed)
  if (document.stalledMs > STALLED_MS && !isLast) return measured(t, true)
  return { code, document, said: said(), folder }
}

test('a pod that is dead over UDP alone is found, named and replaced, and no query is lost from then on', async (t) => {
  const { code, document, said, folder } = await measured(t)
  const { pod, health, dnsOverTcp, ready, queries, repair } = document
  assert.equal(code, 0, said)
  assert.deepEqual([document.found, document.cured, document.sound], ['UdpDead', true, true])
  // Clients over TCP saw nothing all the while.
  assert.ok(health.asked > 10)
  assert.deepEqual([health.failed, dnsOverTcp.failed, ready.failed], [0, 0, 0])
  assert.deepEqual([queries.before.lost, queries.after.lost], [0, 0])
  assert.ok(queries.during.lost > 100 && queries.after.sent > 500, JSON.stringify(queries))
  assert.equal(pod.keptInQuarantine, true)
  assert.equal(repair.check.verdict, 'bad')
  assert.deepEqual(
    repair.check.findings.map(({ code: found, subjects }: { code: string; subjects: readonly object[] }) => [
      found,
      subjects,
    ]),
    [['UdpDead', [{ kind: 'pod', name: pod.name }]]],
  )
  assert.deepEqual([repair.decision.kind, repair.decision.step], ['act', 'quarantine'])
  assert.equal(repair.outcome.after.verdict, 'ok')
  assert.match(said, /Z check {6}UdpDead pod coredns-\w+-\w+: the pod answers over TCP but not over UDP\n/)
  assert.deepEqual(readdirSync(folder), [])
})

test('a pod of an embedded cluster whose way to the servers outside is cut is named so, and no pod is replaced', async (t) => {
  const never = new AbortController().signal
  const ground = await DnsCluster.open(await LoopbackNet.open(), never)
  t.after(() => ground.end())
  const { plane, kubeconfig: kubeconfigPath } = ground.cluster
  const log = { debug: () => undefined, warn: () => undefined }
  const { parts } = await openApi({ kubeconfigPath, env: {}, clock, random, log, userAgent: 'evenkeel/test' }, never)
  const ignored = { onCheck: () => undefined, onTouch: () => undefined, onWord: () => undefined }
  const repaired = async (): Promise<readonly unknown[]> => {
    const repair = await repairOfOurs(ground, { parts, hears: ignored }, never)
    assert.ok(!('busy' in repair))
    const found = repair.check.findings.map(({ code, subjects }) => [code, ...subjects.map(({ name }) => name)])
    return [repair.decision.kind, ...found]
  }
  const [first, second] = ground.pods.map(({ metadata: { name, uid } }) => ({ name, uid }))
  assert.ok(first !== undefined && second !== undefined)
  assert.deepEqual(await repaired(), ['nothing', ['Healthy', 'dns']])
  plane.cutUpstream(first.uid)
  assert.deepEqual(await repaired(), ['nothing', ['UpstreamOfOne', first.name]])
  plane.cutUpstream(second.uid)
  assert.deepEqual(await repaired(), ['nothing', ['UpstreamDown', first.name, second.name]])
})

test('Ctrl-C in the midst of it ends it with 130, and leaves nothing', (t) =>
  endsByInterrupt(demoProcess(t, ['--dns']), /Z break /))

test('where a machine has no loopback address but 127.0.0.1, the dead pod is found by ports of it', async () => {
  const log = { debug: () => undefined, warn: () => undefined }
  const actions = dnsDemoActions({ version: '0', env: {}, log }, async () => LoopbackNet.ofPorts())
  const stop = new AbortController()
  const ground = await actions.open(stop.signal)
  try {
    ground.dropUdp()
    const found = Promise.withResolvers<DnsCheck>()
    const enough = new Error('enough was seen')
    const hears = {
      onCheck: (check: DnsCheck) => {
        found.resolve(check)
        stop.abort(enough)
      },
      onTouch: () => undefined,
      onWord: () => undefined,
    }
    await assert.rejects(ground.repair(hears, stop.signal), enough)
    const { findings } = await found.promise
    assert.deepEqual(
      findings.map(({ code, subjects }) => [code, subjects]),
      [['UdpDead', [{ kind: 'pod', name: ground.sick.name }]]],
    )
    const look = await ground.readPod(new AbortController().signal)
    assert.deepEqual(look, { health: true, dnsOverTcp: true, ready: true, runs: true })
  } finally {
    await ground.end()
  }
})
