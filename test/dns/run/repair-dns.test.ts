import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import type { RepairOrBusy } from '../../../src/dns/run/repair-alone.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { ONE, REPAIR_LEASE, RepairWorld, SICK, WELL } from '../../support/dns/repair-world.ts'
import { aPodOfDns, aScene, DEAD, SILENT } from '../decide/a-scene.ts'

const outcomeOf = (repair: RepairOrBusy): string =>
  'busy' in repair ? `busy ${repair.busy}` : (repair.outcome?.kind ?? repair.decision.kind)

test('the sick pod is put in quarantine, DNS is watched for a minute, and all of it is remembered', async () => {
  const world = new RepairWorld(SICK, ONE, WELL)
  const repair = await world.repair()
  assert.equal(outcomeOf(repair), 'cured')
  // It is written that it began before the pod is touched.
  assert.deepEqual(world.touched, ['quarantine a (a begun)'])
  assert.deepEqual(world.outcomes, ['a cured'])
  assert.equal(world.leases.get(REPAIR_LEASE)?.holder, '')
  assert.ok(world.clock.monoMs() >= 60_000)
})

test('a second repair soon after the first is held', async () => {
  const world = new RepairWorld(SICK, WELL, WELL, WELL, WELL, WELL, WELL, WELL, SICK)
  assert.equal(outcomeOf(await world.repair()), 'cured')
  assert.equal(outcomeOf(await world.repair()), 'held')
  assert.equal(world.touched.length, 1)
})

test('where no other pod comes in its place, it is not cured', async () => {
  const world = new RepairWorld(SICK, ONE)
  const repair = await world.repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.match(repair.outcome.why, /^after 3 min 1 of 2 pods serve$/)
  assert.deepEqual(world.outcomes, ['a notCured'])
})

test('the place of a pod that did not serve has to be taken as well: where the new one waits for a node, nothing is cured', async () => {
  const hung = aPodOfDns('a', { ready: false, endpoint: 'notServing', process: 'silent' })
  const sick = aScene({ pods: { a: DEAD }, change: { pods: [hung, aPodOfDns('b')] } })
  const repair = await new RepairWorld({ ...sick, service: { ...sick.service, serving: 1 } }, ONE).repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.equal(repair.outcome.why, 'after 3 min 1 of 2 pods serve')
})

test('endpoints of the Service that are no pods are counted neither before nor after', async () => {
  const [sick, well] = [SICK, WELL].map((scene) => ({ ...scene, service: { ...scene.service, serving: 3 } }))
  assert.ok(sick !== undefined && well !== undefined)
  assert.equal(outcomeOf(await new RepairWorld(sick, well).repair()), 'cured')
})

test('where fewer pods are wanted by now, those are enough', async () => {
  const four = aScene({ pods: { a: SILENT }, change: { pods: ['a', 'b', 'c', 'd'].map((name) => aPodOfDns(name)) } })
  const three = aScene({ change: { pods: ['b', 'c', 'd'].map((name) => aPodOfDns(name)) } })
  const world = new RepairWorld(four, three)
  world.wanted = [4, 3]
  assert.equal(outcomeOf(await world.repair()), 'cured')
  const stays = new RepairWorld(four, three)
  stays.wanted = [4]
  assert.equal(outcomeOf(await stays.repair()), 'notCured')
})

test('a place that was cut off before and is so afterwards hides no cure', async () => {
  const cutOff = (scene: DnsScene): DnsScene => ({
    ...scene,
    vantages: [...scene.vantages, { name: 'v3', node: 'n-z', control: 'fails' }],
    paths: [...scene.paths, { vantage: 'v3', target: { kind: 'pod', name: 'b' }, reading: DEAD }],
  })
  assert.equal(outcomeOf(await new RepairWorld(cutOff(SICK), cutOff(WELL)).repair()), 'cured')
})

test('a network without a way outside has no answers for names outside before and afterwards: that hides no cure', async () => {
  const noUpstream = (scene: DnsScene): DnsScene => ({
    ...scene,
    paths: scene.paths.map((path) =>
      path.reading.udp === 'answers' ? { ...path, reading: { ...path.reading, upstream: 'fails' } } : path,
    ),
  })
  const world = new RepairWorld(noUpstream(SICK), noUpstream(ONE), noUpstream(WELL))
  assert.equal(outcomeOf(await world.repair()), 'cured')
})

test('EndpointSlices that still have the sick pod are no cure, and one pod after them is no relapse', async () => {
  const late = aScene({ change: { pods: ONE.pods, service: SICK.service } })
  const world = new RepairWorld(SICK, late, ONE, WELL)
  const repair = await world.repair()
  assert.equal(outcomeOf(repair), 'cured')
  assert.equal(world.said[1], '1 of 2 pods serve')
})

test('a pod that its Service does not send to, and one that is being deleted, take no place of the sick one', async () => {
  for (const change of [{ endpoint: 'notServing' }, { terminating: true }] as const) {
    // EndpointSlices are read before pods: they still count two endpoints.
    const pods = [aPodOfDns('b'), aPodOfDns('c', change)]
    const world = new RepairWorld(SICK, aScene({ change: { pods, service: SICK.service } }), WELL)
    assert.equal(outcomeOf(await world.repair()), 'cured')
    assert.equal(world.said[1], '1 of 2 pods serve', JSON.stringify(change))
  }
})

test('where DNS gets ill again while it is watched, it is not cured', async () => {
  const sickAgain = aScene({ pods: { b: SILENT }, change: { pods: WELL.pods } })
  const world = new RepairWorld(SICK, WELL, WELL, sickAgain)
  const repair = await world.repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.match(repair.outcome.why, /^DNS was healthy and no longer is: the check says UdpDead$/)
})

test('what is not seen for a while ends nothing, and for good it is no cure', async () => {
  const blind = aScene({ change: { pods: WELL.pods, vantages: [{ name: 'here', control: 'fails' }] } })
  assert.equal(outcomeOf(await new RepairWorld(SICK, blind, WELL, blind, blind, WELL).repair()), 'cured')
  const repair = await new RepairWorld(SICK, WELL, blind).repair()
  assert.ok(!('busy' in repair) && repair.outcome?.kind === 'notCured')
  assert.equal(repair.outcome.why, 'after 4 min it is not known whether DNS is healthy: VantageCutOff')
})

test('an API server that is away for a moment ends nothing', async () => {
  const away = new WorldError('refused', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const world = new RepairWorld(SICK, away, away, WELL)
  assert.equal(outcomeOf(await world.repair()), 'cured')
})

test('a pod of a DaemonSet is evicted; where that is refused nothing is remembered', async () => {
  const world = new RepairWorld(SICK, WELL)
  world.kind = 'DaemonSet'
  assert.equal(outcomeOf(await world.repair()), 'cured')
  assert.deepEqual(world.touched, ['evict a'])
  const refused = new RepairWorld(SICK, WELL)
  refused.kind = 'DaemonSet'
  refused.eviction = { kind: 'refused', text: 'no', status: 403 }
  assert.equal(outcomeOf(await refused.repair()), 'notTouched')
  assert.deepEqual(refused.outcomes, [])
})

test('an eviction whose answer is lost is remembered, and DNS shows whether it happened', async () => {
  const world = new RepairWorld(SICK, WELL)
  world.kind = 'DaemonSet'
  world.eviction = { kind: 'passing', text: 'the connection was reset' }
  assert.equal(outcomeOf(await world.repair()), 'cured')
  assert.deepEqual(world.outcomes, ['a cured'])
  assert.ok(world.said.includes('whether a was evicted is not known (the connection was reset): DNS will show it'))
  const notEvicted = new RepairWorld(SICK)
  notEvicted.kind = 'DaemonSet'
  notEvicted.eviction = { kind: 'passing', text: 'HTTP 504' }
  assert.equal(outcomeOf(await notEvicted.repair()), 'notCured')
  assert.deepEqual(notEvicted.outcomes, ['a notCured'])
})

test('a quarantine that the API server refuses for good leaves nothing to remember, and it is said why', async () => {
  for (const code of ['KUBE_FORBIDDEN', 'KUBE_NOT_FOUND', 'KUBE_INVALID']) {
    const world = new RepairWorld(SICK)
    world.refusal = new WorldError('patch pods: no (HTTP 4xx)', { code, retry: 'never' })
    const repair = await world.repair()
    assert.ok(!('busy' in repair))
    assert.deepEqual(repair.outcome, { kind: 'notTouched', why: 'quarantine of a: patch pods: no (HTTP 4xx)' })
    assert.deepEqual(world.outcomes, [])
  }
})

test('a quarantine whose answer is lost counts as begun', async () => {
  const world = new RepairWorld(SICK)
  world.refusal = new WorldError('patch pods: reset', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  await assert.rejects(world.repair(), world.refusal)
  assert.deepEqual(world.outcomes, ['a begun'])
})

test('a pod that was replaced meanwhile is not touched', async () => {
  const world = new RepairWorld(SICK, WELL)
  world.isReplaced = true
  assert.equal(outcomeOf(await world.repair()), 'notTouched')
  assert.deepEqual(world.outcomes, [])
})

describe('one at a time', () => {
  const held = (world: RepairWorld): void => {
    const { clock, leases } = world
    leases.put({
      ...REPAIR_LEASE,
      resourceVersion: '',
      holder: 'other',
      durationSeconds: 15,
      renewTime: String(clock.wallMs()),
      transitions: 0,
      annotations: {},
    })
  }

  test('while another repair renews its Lease, nothing is asked or done', async () => {
    const world = new RepairWorld(SICK)
    let checks = 0
    world.onCheck = () => {
      checks += 1
    }
    held(world)
    const stop = new AbortController()
    const renewing = (async () => {
      while (!stop.signal.aborted) {
        await world.clock.sleep(5_000, stop.signal).catch(() => undefined)
        held(world)
      }
    })()
    const repair = await world.repair()
    stop.abort()
    await renewing
    assert.deepEqual([outcomeOf(repair), checks, world.touched], ['busy other', 0, []])
  })

  test('a right to the Lease that is missing ends the repair at once, and it is said which file grants it', async () => {
    const world = new RepairWorld(SICK)
    world.leaseFault = 'forbidden'
    await assert.rejects(
      world.repair(),
      (error) =>
        error instanceof UserError &&
        error.code === 'dns.lease' &&
        /^Lease evenkeel\/evenkeel-dns-repair could not be acquired: .*forbidden/.test(error.message) &&
        plainText(error.fix ?? '').includes('deploy/dns-repair-rbac.yaml'),
    )
    assert.ok(world.clock.monoMs() < 5_000, `${world.clock.monoMs()} ms`)
    assert.deepEqual(world.touched, [])
  })

  test('an API server that does not answer for the Lease is no other repair', async () => {
    const world = new RepairWorld(SICK)
    world.leaseFault = 'lost'
    const repair = await world.repair()
    assert.ok('busy' in repair)
    assert.equal(repair.busy, '')
    assert.match(repair.trouble ?? '', /^Lease evenkeel\/evenkeel-dns-repair could not be acquired: ./)
  })

  test('a repair whose process has died is followed', async () => {
    const world = new RepairWorld(SICK, WELL)
    held(world)
    assert.equal(outcomeOf(await world.repair()), 'cured')
  })

  test('an interrupted repair gives the Lease back, and counts as begun', async () => {
    const world = new RepairWorld(SICK, ONE)
    const stop = new AbortController()
    const reason = new Error('interrupted')
    let checks = 0
    world.onCheck = () => {
      checks += 1
      if (checks === 3) stop.abort(reason)
    }
    await assert.rejects(world.repair(stop.signal), reason)
    assert.deepEqual([world.outcomes, world.leases.get(REPAIR_LEASE)?.holder], [['a begun'], ''])
  })
})

test('repairs that a person has spoilt are reported by name, and nothing is touched', async () => {
  const world = new RepairWorld(SICK)
  world.kept = {
    namespace: 'evenkeel',
    name: 'evenkeel-dns-repairs',
    resourceVersion: '1',
    annotations: {},
    data: { 'repairs.json': '{"at":1}' },
  }
  await assert.rejects(world.repair(), (error) => error instanceof UserError && error.code === 'dns.repairs')
  assert.deepEqual(world.touched, [])
})
