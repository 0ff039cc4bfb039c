import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { loadRollFile } from '../../../src/roll/file/load-roll-file.ts'
import { SshHost } from '../../../src/roll/io/ssh-host.ts'
import { SshMachines } from '../../../src/roll/io/ssh-machines.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { RollEngine } from '../../../src/roll/run/roll-engine.ts'
import { newRun } from '../../../src/roll/run/run-state.ts'
import { HaproxyBalancer } from '../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { HaproxyInstance } from '../../../src/service/model/balancer-spec.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { type FailedRequest, sendRequests } from '../../support/real-pair/clients.ts'
import { HOSTS } from '../../support/real-pair/pair-files.ts'
import { RealPair } from '../../support/real-pair/real-pair.ts'
import { requires } from '../../support/requires.ts'

const PER_SECOND = 200

function specOf(pair: RealPair, preempts: boolean): RollSpec {
  const instances = HOSTS.map((host) => `{name: ${host}, socket: ${join(pair.root, host, 'admin.sock')}}`)
  const text = `apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: pair}
spec:
  nodes: {all: true}
  balancers:
    - {name: edge, instances: [${instances.join(', ')}], backends: [web]}
  reboot:
    returnLimit: 1min
    ssh: {configFile: ${join(pair.root, 'ssh_config')}, user: root, command: [${join(pair.root, 'reboot-machine')}]}
  soak: 2s
  hosts:
    pairs:
      - name: edge
        addresses: [${pair.site.virtualAddress}]
        trackFile: {path: ${join(pair.root, 'me', 'run', 'away')}, away: ${preempts ? -100 : 1}}
${preempts ? '' : '        holdConnections: {ports: [80]}\n'}        connectionsLimit: 10s
        machines: [${HOSTS.map((host) => `{name: ${host}, instances: [${host}]}`).join(', ')}]
`
  return loadRollFile({ file: 'roll.yaml', text })
}

/** A roll of the two machines and of no node, on the real adapters. */
async function rolled(t: TestContext, pair: RealPair, preempts: boolean) {
  const spec = specOf(pair, preempts)
  assert.equal(spec.reboot.kind, 'ssh')
  const ssh = { clock: systemClock, random: systemRandom, ...spec.reboot, checkLimitMs: 5_000, rebootLimitMs: 5_000 }
  const host = new SshHost({ ...ssh, socketDir: tmpdir() })
  const balancers = spec.balancers.map(({ name, backends, via }) => {
    const { instances } = via as { readonly instances: readonly HaproxyInstance[] }
    return new HaproxyBalancer({ spec: { name, backends, instances }, clock: systemClock, random: systemRandom })
  })
  t.after(() => Promise.all([host.close(), ...balancers.map((balancer) => balancer.close())]))
  const events: StampedEvent[] = []
  const engine = new RollEngine({
    run: newRun({ spec, order: [] }, { wall: systemClock.wallMs(), suffix: 'pair' }),
    clusterName: 'pair',
    cluster: new MemoryCluster(systemClock, []),
    balancers,
    host,
    machines: new SshMachines({ ...ssh, readLimitMs: 5_000 }),
    dataPort: { answers: async () => true },
    journal: { run: 'pair', append: async () => undefined },
    firstSeq: 0,
    sink: (event) => events.push(event),
    clock: systemClock,
    random: systemRandom,
  })
  const end = await engine.run(new AbortController().signal)
  return { end, events, balancers, host, spec }
}

/** By day once: no new connections while an address moves, and it stays where it moved to. */
const RUNS = process.env.EVERY_TROUBLE === undefined ? 1 : 5

async function rollsPair(t: TestContext, preempts: boolean) {
  const pair = await RealPair.start(t, { preempts })
  await pair.settled()
  const counted = await sendRequests(pair, PER_SECOND)
  const { end, events } = await rolled(t, pair, preempts)
  await pair.settled()
  const { sent, failed, slowestMs } = await counted()
  t.diagnostic(
    `${sent} requests, ${failed.length} failed, slowest ${slowestMs} ms; ${pair.moves.length} moves, ${events.length} events`,
  )
  assert.deepEqual([end.outcome, end.reasons], ['completed', []])
  assert.deepEqual(pair.boots, ['lb-1 with the address on lb-2', 'lb-2 with the address on lb-1'])
  assert.deepEqual(pair.holders(), ['lb-1'])
  assert.ok(sent > 1_000, `${sent} requests were sent`)
  return { pair, failed }
}

for (let run = 1; run <= RUNS; run += 1) {
  test(`a real pair that takes no new connections while its address moves is rolled under ${PER_SECOND} requests a second, run ${run}: none fails`, {
    ...requires('haproxy', 'keepalived', 'ssh'),
    timeout: 120_000,
  }, async (t) => {
    const { failed } = await rollsPair(t, false)
    assert.deepEqual(failed, [])
  })
}

test(`a real pair that preempts is rolled by its priority: only what is under way when the address moves fails`, {
  ...requires('haproxy', 'keepalived', 'ssh'),
  timeout: 120_000,
}, async (t) => {
  const { pair, failed } = await rollsPair(t, true)
  // What is under way at the moment of a move has its connection at the machine that has the address no more.
  const [from, to] = [500, 1_500]
  const isOfMove = ({ fromMs, toMs }: FailedRequest): boolean =>
    pair.moves.some((move) => fromMs <= move.toMs + to && toMs >= move.fromMs - from)
  assert.deepEqual(
    failed.filter((one) => !isOfMove(one)),
    [],
  )
})
