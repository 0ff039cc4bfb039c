import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NeedReporter } from '../../src/rebooter/run/need-reporter.ts'
import { markdownReport } from '../../src/roll/report/markdown-report.ts'
import { reportDocument } from '../../src/roll/report/report-document.ts'
import { outcomeDocument } from '../../src/roll/report/view/outcome-document.ts'
import { rollViewOf } from '../../src/roll/report/view/reduce-roll.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const ROLL_LIMIT_MS = 30 * 60_000
const REBOOT = { ssh: { command: ['systemctl', 'reboot'] }, resendAfter: '20s', returnLimit: '60s' }
const fileWith = (onlyIfNeeded: object): string => virtualRollFile({ spec: { reboot: { ...REBOOT, onlyIfNeeded } } })

const NO_FILE = 'needs no reboot: no /var/run/reboot-required'
const KERNEL = '/var/run/reboot-required is there, for linux-image-6.12.0-30-amd64, linux-base'
const LIBC = '/var/run/reboot-required is there, for libc6'

/** Three machines; n1 and n3 have installed what needs a reboot. */
async function updated() {
  const cluster = await articleCluster()
  cluster.machines.get('n1')?.requireReboot(['linux-image-6.12.0-30-amd64', 'linux-base'])
  cluster.machines.get('n3')?.requireReboot(['libc6'])
  return cluster
}

const bootsOf = (cluster: Awaited<ReturnType<typeof updated>>) =>
  Object.fromEntries(cluster.nodes.map((node) => [node, cluster.machines.get(node)?.boots]))

test('only nodes that need a reboot are rolled, a roll that is killed keeps them, and report and document say why', async () => {
  const cluster = await updated()
  const roll = new VirtualRoll(cluster, fileWith({}))
  const plan = await roll.plan()
  assert.deepEqual(
    plan.nodes.map(({ node, needs }) => [node, needs]),
    [
      ['n1', KERNEL],
      ['n3', LIBC],
    ],
  )
  assert.deepEqual(plan.skipped, [{ node: 'n2', why: NO_FILE }])
  assert.deepEqual(
    plan.findings.filter(({ severity, node }) => severity === 'error' || node === 'n2'),
    [],
  )
  const before = bootsOf(cluster)
  const killed = await roll.begin()
  // n1 has booted, so that it needs no reboot any more: the process that resumes must not leave it as it is.
  const proof = killed.log.first((event) => event.type === 'step.started' && event.step === 'proof')
  await cluster.time.settle(proof, ROLL_LIMIT_MS)
  killed.kill()
  await cluster.time.settle(killed.ended, ROLL_LIMIT_MS)
  const resumed = roll.resume()
  const end = await cluster.time.settle(resumed.ended, ROLL_LIMIT_MS)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  const boots = bootsOf(cluster)
  assert.deepEqual(
    cluster.nodes.map((node) => (boots[node] ?? 0) - (before[node] ?? 0)),
    [1, 0, 1],
  )
  assert.deepEqual(await leftoversOf(new VirtualGround(cluster)), [])
  const events = [...killed.events, ...resumed.events]
  const { needed, skipped, nodes } = outcomeDocument(rollViewOf(events))
  assert.deepEqual(needed, [
    { node: 'n1', why: KERNEL },
    { node: 'n3', why: LIBC },
  ])
  assert.deepEqual(skipped, [{ node: 'n2', why: NO_FILE }])
  assert.deepEqual(
    nodes.map(({ name }) => name),
    ['n1', 'n3'],
  )
  const report = markdownReport(reportDocument({ events }))
  assert.match(report, /## Nodes skipped\n\n- n2: needs no reboot: no \/var\/run\/reboot-required\n/)
  assert.match(report, /## Reboots needed\n\n- n1: \/var\/run\/reboot-required is there, for linux-image/)
  const again = await new VirtualRoll(cluster, fileWith({})).plan()
  assert.deepEqual([again.nodes, again.findings], [[], []])
})

test('each way to know is asked of the machines or read from the Nodes, and what a machine cannot say fails the plan', async () => {
  const cluster = await updated()
  const planned = async (onlyIfNeeded: object) => {
    const { nodes, findings } = await new VirtualRoll(cluster, fileWith(onlyIfNeeded)).plan()
    const errors = findings.filter(({ severity }) => severity === 'error').map(({ code, node }) => `${code} ${node}`)
    return [nodes.map(({ node }) => node).join(' '), ...errors]
  }
  assert.deepEqual(await planned({ sentinel: '/run/other' }), [''])
  assert.deepEqual(await planned({ kubeletVersion: 'v1.35.4' }), [''])
  assert.deepEqual(await planned({ kubeletVersion: 'v1.35.4', sentinel: '/var/run/reboot-required' }), ['n1 n3'])
  assert.deepEqual(await planned({ kubeletVersion: 'v1.36.0' }), ['n1 n2 n3'])
  assert.deepEqual(await planned({ kernelVersion: '6.12' }), [
    'n1 n2 n3',
    'RebootNeedUnknown n1',
    'RebootNeedUnknown n2',
    'RebootNeedUnknown n3',
  ])
  const command = { command: ['needs-restarting', '-r'], neededExitCode: 1 }
  assert.deepEqual(await planned({ ...command, sentinel: '/var/run/reboot-required' }), [
    'n1 n2 n3',
    'RebootNeedUnknown n2',
  ])
  cluster.machines.get('n2')?.powerCut()
  assert.deepEqual(await planned({ osImage: 'Even Keel' }), [''])
  assert.deepEqual((await planned({ osImage: 'Even Keel', sentinel: '/var/run/reboot-required' })).slice(0, 2), [
    'n1 n2 n3',
    'HOST_UNREACHABLE n2',
  ])
})

/** The rebooter of each machine, which looks for Debian's file there. */
function reporters(cluster: Awaited<ReturnType<typeof updated>>, roll: VirtualRoll, signal: AbortSignal): void {
  for (const node of cluster.nodes) {
    const { cluster: api, clock, random } = roll.ports()
    const machine = cluster.machines.get(node)
    const file = () =>
      machine?.rebootRequired === undefined
        ? ({ kind: 'absent' } as const)
        : ({ kind: 'there', text: '', isCut: false } as const)
    const nothing = { kernel: '', kernels: { kind: 'listed', names: [] }, packages: { kind: 'absent' } } as const
    const read = async () => ({ ...nothing, families: [], files: new Map([['/run/reboot-required', file()]]) })
    const log = { debug: () => undefined, warn: () => undefined }
    const sources = { of: ['debian'], files: [] } as const
    const reporter = new NeedReporter({
      ...{ node, bootId: machine?.bootId ?? '', sources, read },
      ...{ cluster: api, clock, random, log, everyMs: 60_000 },
    })
    reporter.run(signal).catch(() => undefined)
  }
}

test('by the condition of the Nodes no machine is asked, and one that is old fails the plan', async (t) => {
  const cluster = await updated()
  const roll = new VirtualRoll(cluster, fileWith({ condition: 'RebootRequired' }))
  const codes = async () => {
    const { nodes, findings } = await roll.plan()
    const errors = findings.filter(({ severity }) => severity === 'error').map(({ code, node }) => `${code} ${node}`)
    return [nodes.map(({ node, needs }) => `${node} ${needs ?? ''}`.trim()).join(', '), ...errors]
  }
  const unknown = ['n1, n2, n3', ...cluster.nodes.map((node) => `RebootNeedUnknown ${node}`)]
  assert.deepEqual(await codes(), unknown)
  const ends = new AbortController()
  t.after(() => ends.abort(new Error('over')))
  reporters(cluster, roll, ends.signal)
  await cluster.time.advance(5_000)
  const there = 'RebootRequired is True: PackagesUpdated: /run/reboot-required is there'
  assert.deepEqual(await codes(), [`n1 ${there}, n3 ${there}`])
  cluster.machines.get('n2')?.requireReboot(['libc6'])
  await cluster.time.advance(61_000)
  assert.deepEqual(await codes(), [`n1 ${there}, n2 ${there}, n3 ${there}`])
  ends.abort(new Error('over'))
  await cluster.time.advance(4 * 3_600_000)
  assert.deepEqual(await codes(), unknown)
})
