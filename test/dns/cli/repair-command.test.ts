import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../../src/cli/program.ts'
import { addDnsCommand } from '../../../src/dns/cli/dns-command.ts'
import { diagnose } from '../../../src/dns/decide/diagnosis/diagnose.ts'
import { decideRepair } from '../../../src/dns/decide/repair/decide-repair.ts'
import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import { verdictOf } from '../../../src/dns/decide/verdict.ts'
import type { RepairReading } from '../../../src/dns/model/repair-reading.ts'
import type { RepairOrBusy } from '../../../src/dns/run/repair-alone.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { aScene, SILENT } from '../decide/a-scene.ts'

const WORKLOAD = {
  kind: 'Deployment',
  name: 'coredns',
  desired: 2,
  total: 2,
  updated: 2,
  ready: 2,
  isObserved: true,
} as const
const SICK = aScene({ pods: { a: SILENT } })

/** What is found and decided, for the decision's own rules. */
function found(scene: DnsScene, reading: Partial<RepairReading> = {}) {
  const findings = diagnose(scene)
  const askedZone = { zone: 'cluster.local', apiAddresses: [], dnsService: { namespace: '', name: '', addresses: [] } }
  const rest = {
    askedZone,
    selector: {},
    notes: [],
    queries: 9,
    queriesPerSecond: 800,
    rounds: 2,
    tookMs: 1_000,
  } as const
  const memory = { namespace: 'evenkeel', name: 'evenkeel-dns-repairs' }
  const around = {
    budgets: {},
    proxies: [],
    cordoned: [],
    downNodes: [],
    quarantined: [],
    past: [],
    wallMs: 0,
    workload: WORKLOAD,
    rounds: 2,
  } as const
  const decision = decideRepair({ ...around, memory, scene, findings, ...reading })
  return { check: { ...rest, scene, findings, verdict: verdictOf(findings) }, decision }
}

async function repair(result: RepairOrBusy, ...words: readonly string[]) {
  const { context } = memoryContext({})
  const asked: string[] = []
  const notHere = (): never => {
    throw new Error('a repair was asked for')
  }
  const load = async () => ({
    check: notHere,
    watch: notHere,
    openPages: notHere,
    wouldRepair: async () => {
      asked.push('dry')
      if ('busy' in result) throw new Error('a dry run waits for nobody')
      return result
    },
    repair: async (_place: unknown, say: (text: string) => void) => {
      asked.push('real')
      say('a (UdpDead): quarantine')
      return result
    },
  })
  const code = await runProgram({ version: '0', context, commands: [addDnsCommand(load)] }, ['dns', 'repair', ...words])
  return { code, out: context.out.text, err: context.err.text, asked }
}

const GUARDS = `  yes  evidence: UdpDead is seen from n-a and n-b, in two rounds
  yes  ownCause: it is the only unhealthy pod, and nothing else is unhealthy
  yes  othersAnswer: b answers over UDP
  yes  apiServer: the API server is ready
  yes  nothingElseMoves: no rollout, no drain and no start is under way
  yes  budget: its PodDisruptionBudget allows it, or it has none
  yes  quarantine: no pod is in quarantine
  yes  pace: nothing was repaired before
`

test('a dry run says what would be done and why it may', async () => {
  const { code, out, asked } = await repair(found(SICK), '--dry-run')
  assert.ok(out.endsWith(`\npod a (UdpDead) would be taken out of its Service and kept\n${GUARDS}`), out)
  assert.deepEqual([code, asked], [0, ['dry']])
})

test('a cure is reported with what to do about the pod that is kept, and what goes on beside the result', async () => {
  const { check, decision } = found(SICK)
  const { code, out, err, asked } = await repair({
    check,
    decision,
    outcome: { kind: 'cured', after: check, tookMs: 4_000 },
  })
  assert.ok(
    out.endsWith(`${GUARDS}CURED  DNS was well after 4 s, and stayed so for a minute
  look at it:  kubectl logs -n kube-system a
  then:        kubectl delete pod -n kube-system a
`),
    out,
  )
  assert.deepEqual([code, err, asked], [0, 'a (UdpDead): quarantine\n', ['real']])
})

test('the commands that it prints go to the cluster that was asked, and can be pasted into a shell', async () => {
  const { check, decision } = found(SICK)
  const cured = { check, decision, outcome: { kind: 'cured', after: check, tookMs: 4_000 } } as const
  const { out } = await repair(cured, '--context', "admin@it's", '--kubeconfig', '/etc/kube config')
  const kubectl = "kubectl --context 'admin@it'\\''s' --kubeconfig '/etc/kube config'"
  assert.ok(
    out.endsWith(
      `  look at it:  ${kubectl} logs -n kube-system a\n  then:        ${kubectl} delete pod -n kube-system a\n`,
    ),
    out,
  )
  assert.match((await repair(cured, '--context', 'prod')).out, /\n {2}then: {8}kubectl --context prod delete pod -n/)
  const held = await repair(found(SICK, { quarantined: ['old'] }), '--context', 'prod')
  assert.match(held.out, /inspect it, then: kubectl --context prod delete pod -n kube-system old\n/)
})

test('no cure is exit code 1, and so is a pod that could not be touched, which is not said to be', async () => {
  const { check, decision } = found(SICK)
  const not = await repair({
    check,
    decision,
    outcome: { kind: 'notCured', why: 'after 3 min 1 of 2 pods serve' },
  })
  assert.match(not.out, /\nNOT CURED {2}after 3 min 1 of 2 pods serve\n {2}look at it:/)
  const untouched = await repair({ check, decision, outcome: { kind: 'notTouched', why: 'a was replaced meanwhile' } })
  assert.match(untouched.out, /\npod a \(UdpDead\) was not taken out of its Service/)
  assert.match(untouched.out, /\nNOT CURED {2}a was replaced meanwhile\n$/)
  assert.deepEqual([not.code, untouched.code], [1, 1])
})

test('what holds it is named, with exit code 3', async () => {
  const { code, out } = await repair(found(SICK, { apiNotReady: 'the API server is not ready (HTTP 500)' }))
  assert.match(out, /\nHELD {2}pod a is not touched\n {2}yes {2}evidence/)
  assert.match(
    out,
    /\n {2}no {3}apiServer: the API server is not ready \(HTTP 500\): a new pod could not list Services/,
  )
  assert.equal(code, 3)
})

test('another repair that is under way is exit code 3', async () => {
  const { code, out } = await repair({ busy: 'host-1_abc' })
  assert.deepEqual([code, out], [3, 'HELD  another repair is under way: host-1_abc\n'])
})

test('a Lease that could not be had is exit code 1, and is not said to be held', async () => {
  const trouble = 'Lease evenkeel/evenkeel-dns-repair could not be acquired: no answer'
  const { code, out } = await repair({ busy: '', trouble })
  assert.deepEqual([code, out], [1, `NOT REPAIRED  ${trouble}\n`])
  const { out: document } = await repair({ busy: '', trouble }, '-o', 'json')
  assert.deepEqual(JSON.parse(document), { version: '1', decision: { kind: 'noLease', why: trouble } })
})

test('where no pod is at fault it says so: 0 where DNS is healthy, 1 where it is not, 3 where it is not known', async () => {
  const shared = found(aScene({ pods: { a: SILENT, b: SILENT } }))
  const blind = found(aScene({ change: { vantages: [{ name: 'here', control: 'fails' }] } }))
  const codes = []
  for (const result of [found(aScene()), shared, blind]) codes.push((await repair(result)).code)
  assert.deepEqual(codes, [0, 1, 3])
  const { out } = await repair(shared)
  assert.match(out, /\nNothing to repair: UdpDropped: no DNS pod is at fault, so replacing one would cure nothing\.\n$/)
})

test('the document of -o json holds the decision with its guards, the outcome and both checks', async () => {
  const { check, decision } = found(SICK)
  const { out } = await repair(
    { check, decision, outcome: { kind: 'cured', after: check, tookMs: 4_000 } },
    '-o',
    'json',
  )
  const { decision: decided, outcome, check: checked, dryRun } = JSON.parse(out)
  assert.deepEqual(
    [decided.kind, decided.step, decided.sick.name, decided.guards.length],
    ['act', 'quarantine', 'a', 8],
  )
  assert.deepEqual([outcome.kind, outcome.after.verdict, checked.verdict, dryRun], ['cured', 'bad', 'bad', false])
})
