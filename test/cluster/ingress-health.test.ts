import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { appContainer } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { readManifests, shipped } from '../support/agent-chart.ts'
import { type Checks, runsOfOthers, spanOf } from '../support/agent-install/checks.ts'
import { IMAGE, InstallBed } from '../support/agent-install/install-bed.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'

const real = { ...requires('testbed', 'helm'), timeout: 300_000 }
const AGENT_PORT = 8_080
/** A pod is Ready once this condition of it is True, which no kubelet sets. */
const GATE = 'example.com/well'

const ingress = (healthCheckNodePorts: readonly number[]): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name: 'web' },
  spec: {
    podsPerNode: 2,
    healthCheckNodePorts,
    selector: { matchLabels: { app: 'web' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailableNodes: 1, attachGraceSeconds: 1 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        readinessGates: [{ conditionType: GATE }],
        terminationGracePeriodSeconds: 5,
        containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: 'v1' })],
      },
    },
  },
})

let opened: InstallBed | undefined
const place = (): InstallBed => {
  assert.ok(opened)
  return opened
}
const bed = () => place().bed

before(async () => {
  if (real.skip !== false) return
  opened = await InstallBed.open()
  await place().install(['minReadySeconds=6', 'agent.upDelay=1s', 'controller.enabled=true', 'ingress.enabled=true'])
  await place().rolledOut()
})
after(async () => opened?.close())

interface SeenPod {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: { readonly nodeName?: string }
}

const pods = async (): Promise<readonly SeenPod[]> =>
  JSON.parse(await bed().kubectl(['get', 'pods', '-l', 'app=web', '-o', 'json'])).items

async function setWell({ metadata }: SeenPod, status: 'True' | 'False'): Promise<void> {
  const patch = JSON.stringify({ status: { conditions: [{ type: GATE, status }] } })
  await bed().kubectl(['patch', 'pod', metadata.name, '--subresource=status', '--type=strategic', '-p', patch])
}

/** As a load balancer hears it; `refused` where nothing listens. */
const at = (node: string, port: number): Promise<string> =>
  place()
    .page(node, port, '/nodecheck')
    .catch(() => 'refused')

function says(node: string, port: number, wanted: string): Promise<true> {
  const seen: { last?: string } = {}
  const wait = { what: `${wanted} of ${node} at ${port}`, limitMs: 60_000, everyMs: 100, explain: () => `${seen.last}` }
  return waitFor(wait, async () => {
    seen.last = await at(node, port)
    return seen.last === wanted ? true : undefined
  })
}

test(
  'a node whose pods are not ready fails the health port of their IngressDaemonSet and not the check of the node',
  real,
  async () => {
    await bed().apply([ingress([10_080])])
    const made = await waitFor({ what: 'two pods on each node', limitMs: 120_000, everyMs: 500 }, async () => {
      const all = await pods()
      return all.filter(({ spec }) => spec.nodeName !== undefined).length === 6 ? all : undefined
    })
    for (const node of bed().nodes) {
      await says(node, 10_080, '503 Down')
      await says(node, AGENT_PORT, '200 OK')
    }
    for (const pod of made) await setWell(pod, 'True')
    for (const node of bed().nodes) await says(node, 10_080, '200 OK')
    const [sick] = made.filter(({ spec }) => spec.nodeName === 'n1')
    assert.ok(sick)
    await setWell(sick, 'False')
    await says('n1', 10_080, '503 Down')
    assert.deepEqual([await at('n1', AGENT_PORT), await at('n2', 10_080)], ['200 OK', '200 OK'])
    await setWell(sick, 'True')
    await says('n1', 10_080, '200 OK')
    // A second port for a migration, and then the first one goes: no pod is replaced for it.
    await bed().apply([ingress([10_080, 10_081])])
    for (const node of bed().nodes) await says(node, 10_081, '200 OK')
    assert.equal(await at('n1', 10_080), '200 OK')
    await bed().apply([ingress([10_081])])
    await says('n1', 10_080, 'refused')
    const uids = (all: readonly SeenPod[]): readonly string[] => all.map(({ metadata }) => metadata.uid).toSorted()
    assert.deepEqual(uids(await pods()), uids(made))
  },
)

const CHECKED_PORT = 10_090
/** One each time that a listener closes; some more, where the machine is busy. */
const RESETS_MAX = 5

/** Between agents and pods of another user, which cannot share a port. A balancer that takes three failures at two seconds hears of none. */
const HANDOVER_MAX_MS = 4_000

/** Without a pull policy the agents answer. */
const checked = (version: string, imagePullPolicy?: string): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name: 'checked' },
  spec: {
    healthCheckNodePorts: [CHECKED_PORT],
    ...(imagePullPolicy === undefined
      ? {}
      : { healthChecker: { image: IMAGE, imagePullPolicy, serviceAccountName: 'ingress-health-checker' } }),
    selector: { matchLabels: { app: 'checked' } },
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxUnavailableNodes: 1,
        annotateDeploymentToDetach: { gracePeriodSeconds: 3 },
        attachGraceSeconds: 1,
      },
    },
    template: {
      metadata: { labels: { app: 'checked' } },
      spec: { containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version })] },
    },
  },
})

const checkers = async (): Promise<readonly SeenPod[]> =>
  JSON.parse(await bed().kubectl(['get', 'pods', '-l', 'evenkeel.dev/health-checker=checked', '-o', 'json'])).items

/** Once each node has one pod of the health checker, of the present template. */
async function checkersRolledOut(): Promise<readonly SeenPod[]> {
  await waitFor({ what: 'the DaemonSet', limitMs: 60_000, everyMs: 200 }, () =>
    bed()
      .kubectl(['get', 'daemonset', 'checked-hc'])
      .then(
        () => true as const,
        () => undefined,
      ),
  )
  await bed().kubectl(['rollout', 'status', 'daemonset/checked-hc', '--timeout=180s'], { limitMs: 190_000 })
  const wait = { what: 'pods that were replaced to be gone', limitMs: 60_000, everyMs: 200 }
  return waitFor(wait, async () => {
    const all = await checkers()
    return all.length === 3 ? all : undefined
  })
}

const ALL_UP = { n1: '200 OK', n2: '200 OK', n3: '200 OK' }
const POD = ', IngressDaemonSet: "evenkeel.dev/default/checked"'

/** Once it says so at `/nodename`. */
function isAnsweredBy(node: string, who: string): Promise<true> {
  const wait = { what: `${node} to be answered for by ${who}`, limitMs: 60_000, everyMs: 100 }
  return waitFor(wait, async () => {
    const page = await place()
      .page(node, CHECKED_PORT, '/nodename')
      .catch(() => 'refused')
    return page === `200 Node: "${node}"${who}` || undefined
  })
}

/** The gap without an answer is so short that no load balancer takes the node out. */
function handedOver(t: TestContext, checks: Checks, from: number): void {
  for (const node of bed().nodes) {
    const runs = runsOfOthers(checks.of(node, from), '200 OK')
    const longestMs = Math.max(0, ...runs.map(spanOf).map(({ begin, end }) => end - begin))
    t.diagnostic(
      `${node}: handed over, ${runs.flat().length} checks not OK, the longest gap ${Math.round(longestMs)} ms`,
    )
    const refusals = new Set(runs.flat().map(({ outcome }) => outcome))
    assert.deepEqual(
      [...refusals].filter((one) => one !== 'ECONNREFUSED' && one !== 'ECONNRESET'),
      [],
    )
    assert.ok(longestMs < HANDOVER_MAX_MS, `${longestMs} ms`)
  }
}

const outcomes = (checks: Checks, node: string, from: number): readonly string[] =>
  runsOfOthers(checks.of(node, from), '200 OK')
    .flat()
    .map(({ outcome }) => outcome)

// By day virtual time has these pods, and a real API server their fields.
atNight(
  'pods of a health checker answer in the place of the agent, are replaced without a check that finds no listener, and fail the check of one node after the other in a rollout',
  real,
  async (t) => {
    await bed().apply(readManifests(shipped('examples/ingress-health-checker.yaml')))
    await bed().apply([checked('v1')])
    const checks = place().check(CHECKED_PORT)
    await checks.say(ALL_UP)

    let from = checks.count
    await bed().apply([checked('v1', 'IfNotPresent')])
    const first = await checkersRolledOut()
    for (const node of bed().nodes) await isAnsweredBy(node, POD)
    await checks.say(ALL_UP)
    handedOver(t, checks, from)

    from = checks.count
    await bed().apply([checked('v1', 'Never')])
    await waitFor(
      { what: 'a new pod', limitMs: 60_000, everyMs: 200 },
      async () =>
        (await checkers()).some(({ metadata }) => first.every((one) => one.metadata.uid !== metadata.uid)) || undefined,
    )
    const second = await checkersRolledOut()
    assert.ok(second.every(({ metadata }) => first.every((one) => one.metadata.uid !== metadata.uid)))
    for (const node of bed().nodes) {
      const others = outcomes(checks, node, from)
      t.diagnostic(
        `${node}: ${checks.of(node, from).length} checks in the rollout of the pods, not OK: ${others.join()}`,
      )
      // What waits in a backlog may be reset when the old pod closes.
      assert.ok(others.every((one) => one === 'ECONNRESET') && others.length <= RESETS_MAX, others.join())
    }

    from = checks.count
    await bed().apply([checked('v2', 'Never')])
    await waitFor(
      { what: 'each node to fail its check', limitMs: 120_000, everyMs: 200 },
      () => bed().nodes.every((node) => outcomes(checks, node, from).includes('503 Down')) || undefined,
    )
    await checks.say(ALL_UP)
    for (const node of bed().nodes)
      assert.deepEqual(
        [...new Set(outcomes(checks, node, from))].filter((one) => one !== '503 Down'),
        [],
      )

    // An agent says yes a moment later than a pod, once the claim of the rollout has gone as well.
    await bed().kubectl(['wait', 'ids/checked', '--for=condition=Ready', '--timeout=60s'], { limitMs: 70_000 })
    from = checks.count
    await bed().apply([checked('v2')])
    for (const node of bed().nodes) await isAnsweredBy(node, '')
    await checks.say(ALL_UP)
    handedOver(t, checks, from)
    const gone = { what: 'no pod of the health checker', limitMs: 60_000, everyMs: 200 }
    await waitFor(gone, async () => (await checkers()).length === 0 || undefined)
  },
)
