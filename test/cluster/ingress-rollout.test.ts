import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { appContainer } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import { AGENT_CHECK_PORT } from '../support/agent-bed/check-backends.ts'
import { DATA_PORT } from '../support/agent-bed/node-ingress.ts'
import { requires } from '../support/requires.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed', 'helm', 'haproxy'), timeout: 400_000 }
const RATE = 200
const NODES = ['n1', 'n2', 'n3']

/** Each node serves what it is sent by its own pods. */
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    selector: { app: 'web' },
    ports: [{ port: 80, targetPort: 8_080, nodePort: DATA_PORT }],
  },
}

const template = (version: string): object => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 20,
    containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version })],
  },
})

/** The load balancer asks each second, and believes the third failure and the second success. */
const ingress = (version: string): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name: 'web' },
  spec: {
    podsPerNode: 2,
    selector: { matchLabels: { app: 'web' } },
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxUnavailableNodes: 1,
        annotateDeploymentToDetach: { gracePeriodSeconds: 6 },
        attachGraceSeconds: 6,
      },
    },
    template: template(version),
  },
})

const daemonSet = (version: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(version) },
})

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}
const bed = () => place().bed

before(async () => {
  if (real.skip !== false) return
  opened = await AgentBed.open()
  await bed().apply([SERVICE])
  await place().place.install([
    ...['minReadySeconds=6', 'agent.upDelay=1s', `agent.agentCheckPort=${AGENT_CHECK_PORT}`],
    ...['controller.enabled=true', 'ingress.enabled=true'],
  ])
  await place().place.rolledOut()
})
after(async () => opened?.close())

interface SeenPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly spec: {
    readonly nodeName?: string
    readonly containers: readonly [{ readonly env: readonly { readonly name: string; readonly value?: string }[] }]
  }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function pods(): Promise<readonly SeenPod[]> {
  return JSON.parse(await bed().kubectl(['get', 'pods', '-l', 'app=web', '-o', 'json'])).items
}

/** `n1 v1`, of the pods that are Ready, and of none that leaves. */
const lines = (all: readonly SeenPod[]): readonly string[] =>
  all
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(
      ({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    )
    .map(({ spec }) => `${spec.nodeName} ${spec.containers[0].env.find(({ name }) => name === 'VERSION')?.value}`)
    .toSorted()

const times = (count: number, version: string): readonly string[] =>
  NODES.flatMap((node) => Array.from({ length: count }, () => `${node} ${version}`))

async function untilServed(count: number, version: string): Promise<void> {
  const wanted = times(count, version).join()
  await waitFor({ what: `${count} pods of ${version} on each node`, limitMs: 200_000, everyMs: 500 }, async () =>
    lines(await pods()).join() === wanted ? true : undefined,
  )
}

async function untilInService(): Promise<void> {
  await bed().kubectl(['wait', 'ingressdaemonset/web', '--for=condition=Ready', '--timeout=200s'], { limitMs: 210_000 })
}

async function underTraffic(work: () => Promise<void>) {
  const lb = await place().haproxy({ dialects: ['plain'] })
  const judge = place().judge(0, RATE)
  try {
    await work()
    return await judge.verdict()
  } finally {
    judge.kill('SIGKILL')
    await lb.kill()
  }
}

const claims = async (): Promise<string> =>
  bed().kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.annotations.evenkeel\\.dev/maintenance}'])

test('two pods of each node are replaced by a rollout under traffic, and no request fails', real, async (t) => {
  let version = 1
  await bed().apply([ingress('v1')])
  await untilServed(2, 'v1')
  await untilInService()
  const judged = await unlessVoid(t, () =>
    underTraffic(async () => {
      version += 1
      await bed().apply([ingress(`v${version}`)])
      await untilServed(2, `v${version}`)
      await untilInService()
    }),
  )
  t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
  assert.deepEqual([judged.failedRequests, judged.windows, await claims()], [0, [], ''])
})

test('an unmodified drain takes the ingress pods of a node under traffic, and no request fails', real, async (t) => {
  const judged = await unlessVoid(t, () =>
    underTraffic(async () => {
      const words = ['drain', 'n2', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s']
      await bed().kubectl(words, { limitMs: 130_000 })
      assert.match(await claims(), /ingress\/default\.web/)
      await bed().kubectl(['uncordon', 'n2'])
      await untilInService()
    }),
  )
  t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
  assert.deepEqual([judged.failedRequests, judged.windows, await claims()], [0, [], ''])
})

test('the same change of a DaemonSet loses requests', real, async (t) => {
  await bed().kubectl(['delete', 'ingressdaemonset/web', '--wait', '--timeout=120s'], { limitMs: 130_000 })
  await bed().apply([daemonSet('v1')])
  await untilServed(1, 'v1')
  const judged = await underTraffic(async () => {
    await bed().apply([daemonSet('v2')])
    await untilServed(1, 'v2')
  })
  t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
  assert.ok(judged.failedRequests > 0)
})
