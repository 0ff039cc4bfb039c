import assert from 'node:assert/strict'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../src/service/model/node-record.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { RollHandle, Spec } from '../support/roll-ground/roll-ground.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { type CrashPlan, type CrashPoint, crashRun } from '../support/virtual-roll/crash/crash-run.ts'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { kuredDaemonSet, kuredLockOf } from '../support/virtual-roll/kured-daemon-set.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000
const BRISK = {
  nodes: { names: ['n1'] },
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 1 },
  drain: { daemonSets: ['app=edge'], blockedLimit: '1min' },
  reboot: { kuredLock: {} },
}
/** A machine that is off is given up soon. */
const IMPATIENT = { ...BRISK, reboot: { ...BRISK.reboot, returnLimit: '20s', resendAfter: '10s' } }
const OF_NODE = JSON.stringify({ nodeID: 'n3', metadata: {}, created: '2026-01-01T00:00:00Z', TTL: 0 })
/** Long enough for a write beside the passes, and for the watch that shows it. */
const WRITTEN_MS = 3_000

interface Lock {
  readonly nodeID: string
  readonly created: string
  readonly TTL: number
  readonly locks: readonly { readonly nodeID: string }[]
}

function readLock(cluster: VirtualCluster): Lock | undefined {
  const text = kuredLockOf(cluster)
  return text === undefined ? undefined : (JSON.parse(text) as Lock)
}

interface At {
  readonly cluster: VirtualCluster
  readonly ground: VirtualGround
  /** Another program writes the lock; null: removes it. */
  readonly write: (lock: string | null) => Promise<void>
}

interface Situation {
  readonly args?: readonly string[]
  /** What becomes of a write of the lock on its way. */
  readonly passageOf?: (at: At) => Passage | undefined
}

const isLockWrite = ({ method, path }: ApiRequest): boolean => method === 'PATCH' && path.endsWith('/daemonsets/kured')

/** A cluster with kured, and what happens there. */
async function story({ args = [], passageOf }: Situation, happens: (at: At) => Promise<void>): Promise<At> {
  const cluster = await articleCluster({ nodes: 3, replicas: 4, graceSeconds: 1 })
  const ground: VirtualGround = new VirtualGround(cluster, {
    passageOf: (request): Passage => (isLockWrite(request) ? passageOf?.(at) : undefined) ?? { kind: 'passes' },
  })
  const at: At = { cluster, ground, write: (lock) => ground.apply([kuredDaemonSet({ args, lock })]) }
  await ground.apply([kuredDaemonSet({ args })])
  await cluster.time.settle(happens(at), LIMIT_MS)
  cluster.end()
  return at
}

const warnings = ({ events }: RollHandle): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))

const holds = ({ events }: RollHandle): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'hold.started' || event.type === 'hold.changed' ? event.reasons.map(({ code }) => code) : [],
  )

const untilHeld = (roll: RollHandle, code: string) =>
  roll.until(
    code,
    (event) =>
      (event.type === 'hold.started' || event.type === 'hold.changed') &&
      event.reasons.some((reason) => reason.code === code),
  )

test('the roll has the lock, in both shapes of kured, before it cordons the first node, and gives it back at its end', async () => {
  const { cluster, ground } = await story({ args: ['--concurrency=2'] }, async (at) => {
    const roll = await at.ground.roll(BRISK)
    await roll.untilStep('cordon', 'n1')
    const lock = readLock(at.cluster)
    assert.match(lock?.nodeID ?? '', /^evenkeel\/\S+$/)
    assert.deepEqual([lock?.TTL, lock?.locks.map(({ nodeID }) => nodeID)], [900e9, [lock?.nodeID, lock?.nodeID]])
    assert.deepEqual([(await roll.ended()).code, warnings(roll)], [0, []])
  })
  assert.equal(kuredLockOf(cluster), undefined)
  assert.deepEqual(await leftoversOf(ground), [])
})

test('a node of kured that is faster keeps the lock: the roll waits for it, and then takes the lock itself', async () => {
  let writes = 0
  const passageOf = ({ write }: At): undefined => {
    writes += 1
    if (writes === 1) void write(OF_NODE)
  }
  const { cluster } = await story({ passageOf }, async (at) => {
    const roll = await at.ground.roll(BRISK)
    await untilHeld(roll, 'KuredLockHeld')
    await at.ground.pause(20_000)
    assert.deepEqual([kuredLockOf(at.cluster), writes], [OF_NODE, 1])
    await at.write(null)
    await roll.untilStep('cordon', 'n1')
    assert.match(readLock(at.cluster)?.nodeID ?? '', /^evenkeel\//)
    assert.equal((await roll.ended()).code, 0)
  })
  assert.equal(kuredLockOf(cluster), undefined)
})

test('a write whose answer is lost is found again, and not a failure that lasts', async () => {
  let writes = 0
  const passageOf = (): Passage | undefined => {
    writes += 1
    return writes === 1 ? { kind: 'unheard' } : undefined
  }
  const { cluster } = await story({ passageOf }, async ({ ground }) => {
    const roll = await ground.roll(BRISK)
    assert.equal((await roll.ended()).code, 0)
  })
  assert.deepEqual([kuredLockOf(cluster), writes], [undefined, 2])
})

test('the lock is renewed for as long as a machine is away', async () => {
  const { cluster } = await story({}, async (at) => {
    const reboot = { ...BRISK.reboot, returnLimit: '1h', resendAfter: '1h' }
    const roll = await at.ground.roll({ ...BRISK, reboot })
    await roll.untilStep('reboot', 'n1')
    await at.ground.powerOff('n1')
    for (let minute = 0; minute < 12; minute += 1) {
      await at.ground.pause(60_000)
      const age = at.ground.nowMs() - Date.parse(readLock(at.cluster)?.created ?? '')
      assert.ok(age < 6 * 60_000, `${minute} min: ${age} ms`)
    }
    await at.ground.powerOn('n1')
    assert.equal((await roll.ended()).code, 0)
  })
  assert.equal(kuredLockOf(cluster), undefined)
})

test('a lock that a person removes is taken again, with a warning', async () => {
  const { cluster } = await story({}, async (at) => {
    const roll = await at.ground.roll(BRISK)
    await roll.untilStep('drain', 'n1')
    await at.write(null)
    await at.ground.pause(WRITTEN_MS)
    assert.match(readLock(at.cluster)?.nodeID ?? '', /^evenkeel\//)
    assert.equal((await roll.ended()).code, 0)
    assert.match(
      warnings(roll).join(),
      /^the lock of kured \(DaemonSet kube-system\/kured\) was removed while this run held it/,
    )
  })
  assert.equal(kuredLockOf(cluster), undefined)
})

test('a lock that kured takes all the same is left to it, with a warning, and the next node is not begun', async () => {
  const { cluster } = await story({}, async (at) => {
    const roll = await at.ground.roll({ ...BRISK, nodes: { names: ['n1', 'n2'] } })
    await roll.untilStep('proof', 'n1')
    await at.write(OF_NODE)
    const { code } = await roll.ended()
    assert.equal(code, 3)
    assert.ok(holds(roll).includes('KuredLockHeld'))
    assert.match(warnings(roll).join(), /was taken from this run: n3 holds it/)
  })
  assert.equal(kuredLockOf(cluster), OF_NODE)
})

test('a roll that is not allowed to write the lock touches no node, and says which right it lacks', async () => {
  const message = 'daemonsets.apps "kured" is forbidden: cannot patch resource "daemonsets"'
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message }
  const { cluster, ground } = await story(
    { passageOf: () => ({ kind: 'answered', reply: { code: 403, body } }) },
    async (at) => {
      const roll = await at.ground.roll(BRISK)
      const { code, story: text } = await roll.ended()
      assert.equal(code, 3)
      assert.ok(holds(roll).includes('KuredLockNotTaken'), text)
      assert.ok(!roll.events.some((event) => event.type === 'step.started' && event.step === 'cordon'))
    },
  )
  assert.equal(kuredLockOf(cluster), undefined)
  assert.deepEqual(await leftoversOf(ground), [])
})

test('a DaemonSet that does not exist is an error of the plan that names the field', async () => {
  await story({}, async ({ ground }) => {
    const spec: Spec = { ...BRISK, reboot: { kuredLock: { namespace: 'kured' } } }
    await assert.rejects(ground.roll(spec), (error: Error & { readonly details?: readonly string[] }) => {
      const [detail = ''] = error.details ?? []
      assert.match(detail, /there is no DaemonSet kured\/kured, whose lock "reboot.kuredLock" takes \(KuredNotFound\)/)
      assert.match(detail, /= fix: name kube-system and kured there/)
      return true
    })
  })
})

test('the lock is kept for a node that is out, and resume gives it back once the node is back', async () => {
  const { cluster } = await story({}, async (at) => {
    const roll = await at.ground.roll(IMPATIENT)
    await roll.untilStep('reboot', 'n1')
    await at.ground.powerOff('n1')
    await roll.until('its end', ({ type }) => type === 'roll.ended')
    assert.match(warnings(roll).join(), /is kept while n1 is out; it ends 15 min after/)
    await at.ground.pause(20 * 60_000)
    const age = at.ground.nowMs() - Date.parse(readLock(at.cluster)?.created ?? '')
    assert.ok(age < 6 * 60_000, `${age} ms`)
    roll.interrupt()
    await roll.ended()
    assert.match(readLock(at.cluster)?.nodeID ?? '', /^evenkeel\//)
    await at.ground.powerOn('n1')
    const second = await at.ground.resume()
    assert.equal((await second.ended()).code, 0)
  })
  assert.equal(kuredLockOf(cluster), undefined)
})

test('a person who puts the node back that the roll keeps out ends the wait: the lock is given back, and not taken again', async () => {
  await story({}, async (at) => {
    const roll = await at.ground.roll(IMPATIENT)
    await roll.untilStep('reboot', 'n1')
    await at.ground.powerOff('n1')
    await roll.until('its end', ({ type }) => type === 'roll.ended')
    await at.ground.pause(60_000)
    assert.match(readLock(at.cluster)?.nodeID ?? '', /^evenkeel\//)
    await at.ground.powerOn('n1')
    await at.ground.pause(60_000)
    const { store } = at.cluster.world
    const node = store.get(NODES, { name: 'n1' }) ?? assert.fail('there is no n1')
    const { [RECORD_ANNOTATION]: record, [INTENT_ANNOTATION]: _, ...annotations } = node.metadata.annotations ?? {}
    assert.ok(record !== undefined)
    store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
    await at.ground.pause(WRITTEN_MS)
    assert.equal(kuredLockOf(at.cluster), undefined)
    await at.ground.pause(20 * 60_000)
    assert.equal(kuredLockOf(at.cluster), undefined)
    store.remove(NODES, { name: 'n1' })
    await at.ground.pause(20 * 60_000)
    assert.equal(kuredLockOf(at.cluster), undefined, 'a node that was put back, and deleted later')
    roll.interrupt()
    await roll.ended()
  })
})

test('the lock is kept for a node that the roll keeps out, although its Node is deleted', async () => {
  await story({}, async (at) => {
    const roll = await at.ground.roll(IMPATIENT)
    await roll.untilStep('reboot', 'n1')
    await at.ground.powerOff('n1')
    await roll.until('its end', ({ type }) => type === 'roll.ended')
    at.cluster.world.store.remove(NODES, { name: 'n1' })
    await at.ground.pause(20 * 60_000)
    assert.match(readLock(at.cluster)?.nodeID ?? '', /^evenkeel\//)
    roll.interrupt()
    await roll.ended()
  })
})

const CLEAN: CrashPlan = { crashes: [], word: 'resume', nodes: 2, rolled: ['n1'], takesLock: true }
/** By day where the lock is left: after it was taken, and before it is given back. Both sides of every effect: `CRASH_STRIDE=1 node test/run.ts virtual/kured`. */
const isEvery = process.env.CRASH_STRIDE === '1'
const WRITES = isEvery ? /./ : /^PATCH \/apis\/apps\/v1\/namespaces\/kube-system\/daemonsets\/kured/

test('killed around each write of the lock, the roll has given it back after resume and after abort', async () => {
  const { effects, violations } = await crashRun(CLEAN)
  assert.deepEqual(violations, [])
  const writes = effects.flatMap((effect, i) => (WRITES.test(effect) ? [i] : []))
  assert.ok(writes.length >= 2, effects.join('\n'))
  const jobs = (['resume', 'abort'] as const).flatMap((word) =>
    writes.flatMap((effect, i) =>
      (['before', 'after'] as const)
        .filter((phase) => isEvery || phase === (i === 0 ? 'after' : 'before'))
        .map((phase): Job => {
          const point: CrashPoint = { effect, phase }
          return { kind: 'crash', plan: { ...CLEAN, word, crashes: [point] } }
        }),
    ),
  )
  const found: string[] = []
  await runJobs({ jobs, onReport: (report) => found.push(...complaints(report)) >= 0 })
  assert.deepEqual(found, [])
})
