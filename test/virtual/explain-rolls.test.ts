import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { runHereOf } from '../../src/explain/cli/run-here.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { isJournaledEvent } from '../../src/roll/run/journaled-event.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { LEASES } from '../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../src/sim/world/apply-manifest.ts'
import { evenkeelExplain } from '../support/explain/evenkeel-explain.ts'
import { appOn, podBudget } from '../support/explain/explain-manifests.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import type { EngineProcess } from '../support/virtual-roll/engine-process.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const test = simulationTest(import.meta.url)

const PAGE = readFileSync(new URL('../../docs/explain.md', import.meta.url), 'utf8')

/** A roll of three nodes, the process of which can be killed, and a person at the machine that has its journal. */
class RollAtWork {
  readonly cluster: VirtualCluster
  readonly #roll: VirtualRoll
  #process: EngineProcess | undefined
  #isKilled = false

  constructor(cluster: VirtualCluster) {
    this.cluster = cluster
    this.#roll = new VirtualRoll(cluster, virtualRollFile({ rate: 3, spec: { soak: '1s' } }))
  }

  static async open(t: SimulationContext): Promise<RollAtWork> {
    const cluster = await articleCluster({ darkMs: 20_000 })
    t.after(() => cluster.end())
    return new RollAtWork(cluster)
  }

  get run(): string {
    return this.#roll.run
  }

  async begin(): Promise<void> {
    this.#process = await this.#roll.begin()
  }

  kill(): void {
    this.#isKilled = true
    this.#process?.kill()
  }

  async until(what: string, isSeen: (event: StampedEvent) => boolean): Promise<void> {
    for (let step = 0; step < 6_000; step += 1) {
      if (this.#process?.events.some(isSeen)) return
      await this.cluster.time.advance(100)
    }
    throw new Error(`waited for ${what}`)
  }

  /** `hasJournal`: on the machine that has it; else on another one. */
  explain(line: string, hasJournal = true) {
    const { cluster } = this
    const runHere = async ({ node }: { readonly node: string }) =>
      runHereOf(
        {
          run: this.run,
          events: this.#roll.journal.entries.filter(isJournaledEvent),
          running: !this.#isKilled,
          spec: this.#roll.spec,
        },
        node,
        cluster.time.wallMs(),
      )
    return evenkeelExplain({ cluster, ...(hasJournal ? { runHere } : {}) }, line)
  }
}

const isStep =
  (step: string) =>
  (event: StampedEvent): boolean =>
    event.type === 'step.started' && event.step === step

test('explain names the cause: a roll at work on the node, and the same node from another machine', async (t) => {
  const roll = await RollAtWork.open(t)
  await roll.begin()
  await roll.until('the reboot', isStep('reboot'))
  const here = await roll.explain('node n1')
  assert.match(
    here.document.verdict,
    /^n1 is being rolled: run \S+ has been in step reboot \(6 of 11\) of n1 for /,
    here.out,
  )
  assert.deepEqual([here.document.state, here.document.findings[0]?.code], ['InWork', 'InWork'], here.out)
  const seen = here.document.findings.flatMap(({ evidence }) => evidence)
  assert.ok(
    seen.some((one) => /^its reboot was announced at \S+; it has not rebooted since, by its boot id$/.test(one)),
  )
  const elsewhere = await roll.explain('node n1', false)
  assert.match(
    elsewhere.document.verdict,
    /^n1 is being rolled: run \S+ has taken n1 out, and will bring it back$/,
    elsewhere.out,
  )
  assert.ok(elsewhere.out.replaceAll(/\s+/g, ' ').includes(`evenkeel roll status ${roll.run} on the machine with its`))
})

test('explain names the cause: a node that waits in a roll for the node before it', async (t) => {
  const roll = await RollAtWork.open(t)
  await roll.begin()
  await roll.until('the reboot', isStep('reboot'))
  const { document, out } = await roll.explain('node n3')
  assert.match(
    document.verdict,
    /^n3 is in service and not next: it is 2 of 2 nodes that wait in run \S+; it has been in step reboot \(6 of 11\) of n1 for /,
    out,
  )
  const [first] = document.findings
  assert.deepEqual([first?.code, first?.next[0]?.command], ['WaitsInRun', 'evenkeel explain node n1'])
})

test('explain names the cause: a roll that a budget holds, at its node, at the next one and at the pod', async (t) => {
  const roll = await RollAtWork.open(t)
  await roll.begin()
  await roll.until('the detach', isStep('detach'))
  // After the plan was made, a pod with a budget that allows nothing is on the node.
  applyManifest(roll.cluster.world, appOn('n1', 'late', { spec: { nodeName: 'n1' } }))
  applyManifest(roll.cluster.world, podBudget('late', 'late', { maxUnavailable: 0 }))
  await roll.until('the hold', (event) => event.type === 'hold.started' && event.reasons[0]?.code === 'BudgetExhausted')
  const at = await roll.explain('node n1')
  assert.ok(
    PAGE.includes(`\`\`\`text\n${at.out}\`\`\``),
    `the example of docs/explain.md is what is printed:\n${at.out}`,
  )
  const [held] = at.document.findings
  assert.deepEqual([at.document.state, held?.code], ['InWork', 'BudgetExhausted'], at.out)
  assert.match(
    at.document.verdict,
    /^n1 is being rolled: default\/late-\S+ cannot be evicted, because budget default\/late needs 1 healthy pod and has 1 of 1/,
  )
  assert.match(held?.evidence[0] ?? '', /^run \S+ has been in step drain \(5 of 11\) of n1 for .*, held for /)
  assert.equal(held?.next[0]?.command, 'kubectl -n default edit poddisruptionbudget late')

  const next = await roll.explain('node n2')
  assert.match(next.document.verdict, /^n2 is in service and not next: .* and is held: default\/late-/, next.out)

  const pod = await roll.explain(`pod ${held?.subject}`)
  assert.match(
    pod.document.verdict,
    / is to leave n1, which a roll has out, and is held up: .*budget default\/late/,
    pod.out,
  )
  assert.deepEqual([pod.document.state, pod.document.findings[0]?.code], ['Blocked', 'BudgetExhausted'])
})

test('explain names the cause: a node that a killed roll left out, and a node that it had not begun', async (t) => {
  const roll = await RollAtWork.open(t)
  await roll.begin()
  await roll.until('the drain', isStep('drain'))
  roll.kill()
  const { document, out } = await roll.explain('node n1')
  assert.match(document.verdict, /^n1 is out and nothing that is seen will bring it back: run \S+ left n1 out/, out)
  const [left] = document.findings
  assert.deepEqual([document.state, left?.code], ['LeftBehind', 'LeftBehind'])
  assert.deepEqual(
    left?.next.map(({ command }) => command),
    [`evenkeel roll resume ${roll.run}`, `evenkeel roll abort ${roll.run}`],
  )
  const other = await roll.explain('node n2')
  assert.match(other.document.verdict, /^n2 is in service and not next: run \S+ is not at work: its process is gone/)

  // From another machine the slot is all that is seen: doubted only once it is older than its duration.
  const early = await roll.explain('node n1', false)
  assert.equal(early.document.state, 'InWork', early.out)
  await roll.cluster.time.advance(300_000)
  const late = await roll.explain('node n1', false)
  assert.equal(late.document.state, 'LeftBehind', late.out)
  assert.ok(
    late.document.findings[0]?.next.some(({ command }) => command?.endsWith(' -f roll.yaml')),
    late.out,
  )
  assert.ok([...roll.cluster.world.store.all(LEASES)].length > 0)
})

test('explain names the cause: an IngressDaemonSet whose rollout has the node, and one that is stuck there', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  const manifest = (version: string): object => anIngressManifest(version, { progressDeadlineSeconds: 60 })
  ground.apply(manifest('v1'))
  await ground.until('all to be ready', () => ground.condition('Ready').startsWith('True'))
  const broken = JSON.stringify(manifest('v2')).replace(
    '{"name":"STOP"',
    '{"name":"START_DELAY","value":"1h"},{"name":"STOP"',
  )
  ground.apply(JSON.parse(broken))
  await ground.until('a node to be claimed', () => ground.claimed().length > 0)
  const [name] = ground.claimed()
  const going = await evenkeelExplain(ground, `node ${name}`)
  assert.deepEqual([going.document.state, going.document.findings[0]?.part], ['Claimed', 'ingress'], going.out)
  assert.match(
    going.document.verdict,
    new RegExp(
      `^${name} is kept out until its claims are withdrawn: IngressDaemonSet default/web has ${name} at Detaching`,
    ),
  )
  assert.equal(going.document.findings[0]?.next[0]?.command, 'evenkeel rollout status ingressdaemonset/web -n default')

  await ground.until('it to be stuck', () => ground.condition('Stalled').startsWith('True'))
  const stuck = await evenkeelExplain(ground, `node ${name}`)
  const [cause] = stuck.document.findings
  assert.deepEqual([cause?.part, cause?.is], ['ingress', 'stuck'], stuck.out)
  assert.match(stuck.document.verdict, new RegExp(`default/web has ${name} at Stuck: `))
  const others = ['n1', 'n2', 'n3'].filter((other) => other !== name)
  const waits = await evenkeelExplain(ground, `node ${others[0]}`)
  assert.equal(waits.document.findings[0]?.code, 'BudgetUsedUp', waits.out)
})

test('explain names the cause: the only pod of DNS that serves is on the node', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const dns = (node: string, name: string, env: Readonly<Record<string, string>>) => {
    const text = JSON.stringify(appOn(node, name, { env })).replaceAll(
      '"namespace":"default"',
      '"namespace":"kube-system"',
    )
    return JSON.parse(text.replaceAll('"labels":{"app":', '"labels":{"k8s-app":"kube-dns","app":')) as object
  }
  ground.apply(dns('n1', 'coredns-a', {}))
  ground.apply(dns('n2', 'coredns-b', { START_DELAY: '1h' }))
  ground.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'kube-system', name: 'kube-dns' },
    spec: {
      selector: { 'k8s-app': 'kube-dns' },
      ports: [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: 8080 }],
    },
  })
  await ground.until('both pods to be there', () => ground.pods().length === 2)
  await ground.cluster.time.advance(10_000)
  const { document, out } = await evenkeelExplain(ground, 'node n1')
  assert.equal(document.findings[0]?.code, 'LastDnsPod', out)
  assert.match(document.verdict, /could not leave now: coredns-a-\S+ on n1 is the only one of 2 DNS pods that serves$/)
  assert.equal((await evenkeelExplain(ground, 'node n2')).document.findings[0]?.code, 'NodeReady')
})
