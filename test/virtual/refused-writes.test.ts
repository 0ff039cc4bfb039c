import assert from 'node:assert/strict'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { edge, whoami } from '../../src/sim/cluster/article-workloads.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { smallWorld } from '../support/virtual-roll/small-world.ts'
import { DRAIN, seedRollFile } from '../support/virtual-roll/swarm/seed-roll-file.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const test = simulationTest(import.meta.url)

const MANIFESTS = [...whoami({ service: 'improved', replicas: 2 }), ...edge()]
/** All limits of the file together: those of `BRISK`, each of them once. */
const LIMIT_MS = 4 * 60_000
const RECORD = '~1record'

interface Row {
  readonly title: string
  readonly isRefused: (request: ApiRequest) => boolean
  /** From this step on. */
  readonly step: string
  readonly spec?: object
  /** Outcome, exit code and reasons; what it says of n1; what is left. */
  readonly ends: readonly [end: string, standing: string, left: string]
}

const steps = ({
  body,
}: ApiRequest): readonly { readonly op: string; readonly path: string; readonly value?: unknown }[] =>
  Array.isArray(body) ? body : []
const patches = (op: string, path: string) => (request: ApiRequest) =>
  steps(request).some((one) => one.op === op && one.path.includes(path))
const isLease = ({ method, path }: ApiRequest): boolean => method !== 'GET' && path.includes('/leases')
const LEFT = 'n1 annotation evenkeel.dev/record, n1 annotation evenkeel.dev/intent'
const STAYS = 'RecordStays: n1 is in service again, and its record could not be taken off within the limit (30 s)'

const ROWS: readonly Row[] = [
  {
    title: 'its record cannot be taken off',
    isRefused: patches('remove', RECORD),
    step: 'slot',
    ends: [`held 3 ${STAYS}; Retrying: patch nodes: no (HTTP 403)`, 'out: rebooted, uncordoned, attached', LEFT],
  },
  {
    title: 'the slot is renewed no more from its soak on',
    isRefused: isLease,
    step: 'soak',
    spec: { soak: '15s' },
    ends: [
      `held 3 ${STAYS}; Retrying: the slot is not renewed, so nothing is sent`,
      'out: rebooted, uncordoned, attached',
      LEFT,
    ],
  },
  {
    title: 'the slot is renewed no more before its reboot',
    isRefused: isLease,
    step: 'drain',
    ends: [
      'stopped 1 SlotNotRenewed: the slot has not been renewed for too long, so nothing is sent; NotSettled: n1 did not settle within the limit (30 s); Retrying: the slot is not renewed, so nothing is sent; CordonedByUs: the cordon is ours',
      'out: not rebooted, cordoned, detached',
      'n1 annotation evenkeel.dev/record, n1 taint node.kubernetes.io/unschedulable, n1 cordoned, web/n1 drain, edge/n1 drain',
    ],
  },
  {
    title: 'the slot cannot be released',
    isRefused: isLease,
    step: 'soak',
    ends: ['completed 0 ', 'inService: back in service', ''],
  },
  {
    title: 'it cannot be uncordoned',
    isRefused: (request) => steps(request).some(({ path, value }) => path === '/spec/unschedulable' && value === false),
    step: 'slot',
    ends: [
      'stopped 1 NotSettled: n1 did not settle within the limit (30 s); Retrying: patch nodes: no (HTTP 403); CordonedByUs: the cordon is ours',
      'out: rebooted, cordoned, detached',
      `${LEFT}, n1 taint node.kubernetes.io/unschedulable, n1 cordoned, web/n1 drain, edge/n1 drain`,
    ],
  },
]

const refused = (): Passage => ({
  kind: 'answered',
  reply: { code: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' } },
})

const textOf = (end: Extract<StampedEvent, { type: 'roll.ended' }>): readonly [string, string] => {
  const [n1] = end.standings
  const reasons = end.reasons.map(({ code, text }) => `${code}: ${text}`)
  return [`${end.outcome} ${end.exitCode} ${reasons.join('; ')}`, `${n1?.state}: ${n1?.text}`]
}

for (const { title, isRefused, step, spec, ends } of ROWS)
  test(`a roll ends within the limits of its file and names what it leaves where the API refuses: ${title}`, async (t) => {
    const cluster = await smallWorld({ seed: title, nodes: 2, darkMs: 500, manifests: MANIFESTS })
    t.after(() => cluster.end())
    let isOn = false
    const file = { nodes: { names: ['n1'] }, soak: '1s', drain: { ...DRAIN, daemonSets: [] }, ...spec }
    const roll = new VirtualRoll(cluster, seedRollFile(file), {
      passageOf: (request) => (isOn && isRefused(request) ? refused() : { kind: 'passes' }),
    })
    const process = await roll.begin()
    process.listen((event) => {
      isOn ||= event.type === 'step.started' && event.step === step
    })
    const ended = process.log.first((event) => event.type === 'roll.ended')
    await cluster.time.settle(ended, LIMIT_MS)
    const end = process.events.find((event) => event.type === 'roll.ended')
    assert.ok(end?.type === 'roll.ended')
    const [said, left] = [textOf(end), (await leftoversOf(new VirtualGround(cluster))).join(', ')]
    assert.deepEqual([...said, left], ends)
  })

test('a slot that cannot be released is named, and the next roll takes it', async (t) => {
  const cluster = await smallWorld({ seed: 'x', nodes: 2, darkMs: 500, manifests: MANIFESTS })
  t.after(() => cluster.end())
  let isOn = false
  const file = seedRollFile({ nodes: { names: ['n1'] }, soak: '1s' })
  const roll = new VirtualRoll(cluster, file, {
    passageOf: (request) => (isOn && isLease(request) ? refused() : { kind: 'passes' }),
  })
  const process = await roll.begin()
  process.listen((event) => {
    isOn ||= event.type === 'step.started' && event.step === 'soak'
  })
  await cluster.time.settle(process.ended, LIMIT_MS)
  const warnings = process.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  assert.deepEqual(warnings, [
    'the slot of n1 is not released (patch leases.coordination.k8s.io: no (HTTP 403)); nobody renews it, so that it is stale and other runs take it',
  ])
  const next = await new VirtualRoll(cluster, file, { name: '0002' }).begin()
  const end = await cluster.time.settle(next.ended, LIMIT_MS)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
})
