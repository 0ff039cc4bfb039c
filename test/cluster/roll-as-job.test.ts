import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { STEPS } from '../../src/roll/model/step.ts'
import { INTENT_ANNOTATION } from '../../src/service/model/node-record.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { imageOnBed } from '../support/image-on-bed.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import {
  jobManifests,
  jobStatus,
  NAMESPACE,
  openToPods,
  podsOfJob,
  sshFiles,
  untilJobEnded,
  whatIsOfJob,
} from '../support/roll-bed/roll-job.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed', 'haproxy', 'strip'), timeout: 600_000 }
const IMAGE = 'evenkeel.local/evenkeel:0.1.0-ssh'
const JOURNALS = ['--state-dir', 'configmaps:evenkeel'] as const

let opened: RollBed | undefined
const place = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({ database: false })
  await opened.bed.apply(shipped('roll-journal-rbac.yaml'))
  await openToPods(opened)
  await imageOnBed(opened.bed, IMAGE, { ssh: true })
})
after(() => opened?.close())

const shipped = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

/** What is shipped, with the names and addresses of this bed. */
const manifests = () => jobManifests(shipped('examples/roll-job.yaml'), IMAGE)

/** The keys of the bed, as an operator puts those of a cluster there. */
const sshSecret = (): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'evenkeel-roll-ssh', namespace: 'evenkeel' },
  stringData: sshFiles(place().bed, '/etc/evenkeel/ssh'),
})

interface Told {
  readonly type: string
  readonly node?: string
  readonly step?: string
  readonly pod?: string
  readonly stage?: number
  readonly resumed?: boolean
  readonly seq: number
  readonly outcome?: string
  readonly exitCode?: number
}

/** The events of the journal, as the report tells them from outside of the cluster. */
async function reportedEvents(): Promise<readonly Told[]> {
  const { stdout, stderr, code } = await place().evenkeel('roll', 'report', ...JOURNALS, '-o', 'jsonl')
  assert.equal(code, 0, stderr)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told)
}

/** No event is told twice or out of turn by the two processes; every node took every step. */
function assertWhole(events: readonly Told[]): void {
  const seqs = events.map(({ seq }) => seq)
  assert.deepEqual(
    seqs.filter((seq, i) => i > 0 && seq <= (seqs[i - 1] ?? 0)),
    [],
    'the events of the journal are in order',
  )
  assert.equal(events.at(-1)?.type, 'roll.ended')
  for (const name of place().bed.nodes) {
    const steps = events.flatMap(({ type, node, step }) => (type === 'step.started' && node === name ? [step] : []))
    assert.deepEqual(
      STEPS.filter((step) => !steps.includes(step)),
      [],
      `steps that ${name} did not take`,
    )
  }
}

test('a Job reboots every node under traffic, moves its pod once, and loses no request', real, async () => {
  const { bed } = place()
  const ground = new RealGround(place)
  await bed.apply([sshSecret()])
  await place().settled()
  const boots = ground.countBoots()
  const judge = place().judge()
  await bed.apply(manifests())
  const ran = await untilJobEnded(bed)
  const judged = await judge.verdict()
  const { succeeded, failed = 0, conditions } = await jobStatus(bed)
  assert.deepEqual([succeeded, failed], [1, 0], `${JSON.stringify(conditions)}\n${await whatIsOfJob(bed)}`)
  assert.deepEqual(await boots.stop(), Object.fromEntries(bed.nodes.map((node) => [node, 1])))
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.deepEqual(await leftoversOf(ground), [])

  const events = await reportedEvents()
  const [first, second, ...more] = [...ran]
  assert.ok(first !== undefined && second !== undefined && more.length === 0, JSON.stringify([...ran]))
  assert.notEqual(first[1], second[1])
  const moved = events.filter(({ type, stage }) => type === 'pod.moved' && stage === 0)
  assert.deepEqual(
    moved.map(({ node, pod }) => [node, pod]),
    [[first[1], `evenkeel/${first[0]}`]],
  )
  const started = events.filter(({ type }) => type === 'node.started').map(({ node }) => node)
  assert.equal(started.at(-1), first[1], 'its own node comes last')
  assert.deepEqual(
    events.filter(({ type }) => type === 'roll.started').map(({ resumed }) => resumed),
    [false, true],
  )
  assert.deepEqual(
    events.filter(({ type }) => type === 'roll.ended').map(({ outcome, exitCode }) => [outcome, exitCode]),
    [
      ['interrupted', 130],
      ['completed', 0],
    ],
  )
  assertWhole(events)
})

test(
  'a pod that is deleted while its node reboots is followed by one that brings the node back, without a failed request',
  real,
  async () => {
    const { bed } = place()
    const ground = new RealGround(place)
    await bed.kubectl([...NAMESPACE, 'delete', 'job', 'evenkeel-roll', '--wait=true'])
    await place().settled()
    const boots = ground.countBoots()
    const judge = place().judge()
    await bed.apply(manifests())
    const rebooting = { what: 'a node to be told to reboot', limitMs: 180_000, everyMs: 200 }
    await waitFor(rebooting, async () => {
      const nodes = await place().nodeObjects()
      return nodes.some(({ metadata }) => INTENT_ANNOTATION in metadata.annotations) || undefined
    })
    const [pod] = (await podsOfJob(bed)).filter(({ status }) => status.phase === 'Running')
    assert.ok(pod !== undefined)
    await bed.kubectl([...NAMESPACE, 'delete', 'pod', pod.metadata.name, '--wait=false'])
    const ran = await untilJobEnded(bed)
    const judged = await judge.verdict()
    const { succeeded, failed = 0 } = await jobStatus(bed)
    assert.deepEqual([succeeded, failed], [1, 0], await whatIsOfJob(bed))
    assert.ok(ran.size >= 2)
    assert.deepEqual(await boots.stop(), Object.fromEntries(bed.nodes.map((node) => [node, 1])))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
    assert.deepEqual(await leftoversOf(ground), [])
    assertWhole(await reportedEvents())
  },
)

test('the identity that is shipped was refused nothing', real, () => {
  const lines = readFileSync(place().bed.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  assert.deepEqual(refusedRequests(lines, 'system:serviceaccount:evenkeel:evenkeel-roll'), [])
})

test('the same Job begun again in another pod does nothing, and ends as the run ended', real, async () => {
  const events = (await reportedEvents()).length
  const words = [...NAMESPACE, 'get', 'job', 'evenkeel-roll', '-o', 'jsonpath={.metadata.uid}']
  const key = await place().bed.kubectl(words)
  const again = place().roll('-f', place().file(), '--once', key, ...JOURNALS, '--yes')
  const { code, stderr } = await again.ended()
  assert.equal(code, 0, stderr)
  assert.equal((await reportedEvents()).length, events)
})
