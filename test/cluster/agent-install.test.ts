import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHART } from '../../deploy/chart/plain-yaml.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { agentProcess } from '../support/agent-install/agent-process.ts'
import { type Checks, runsOfOthers, spanOf } from '../support/agent-install/checks.ts'
import { type AgentPod, InstallBed, isReady } from '../support/agent-install/install-bed.ts'
import { earlierChart } from '../support/earlier-chart.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'

const ALL_UP = { n1: '200 OK', n2: '200 OK', n3: '200 OK' }
/** One each time that a listener closes, of which each agent has two; some more, where the machine is busy. */
const RESETS_MAX = 5
/** A balancer that asks once a second hears of one at most. On a busy machine more than one of ours waits to be taken. */
const RESET_SPAN_MAX_MS = 500
/** Of a node whose agent is replaced where none can start beside it: what the page says, twice and more. */
const GAP_MAX_MS = 10_000
/** Three seconds less are what a new agent has to become ready. */
const QUICK = 'minReadySeconds=6'

let opened: InstallBed | undefined
const place = (): InstallBed => {
  assert.ok(opened)
  return opened
}
const real = requires('testbed', 'strip')

before(async () => {
  if (real.skip === false) opened = await InstallBed.open()
})
after(async () => opened?.close())

const uids = (pods: readonly AgentPod[]): readonly string[] => pods.map(({ metadata }) => metadata.uid).toSorted()

/** Cordons a node and takes that back, and holds that no other node said anything but OK meanwhile. */
async function cordonFlips(checks: Checks): Promise<void> {
  const from = checks.count
  await place().bed.kubectl(['cordon', 'n1'])
  await checks.say({ n1: '503 Down', n2: '200 OK', n3: '200 OK' })
  await place().bed.kubectl(['uncordon', 'n1'])
  await checks.say(ALL_UP)
  for (const node of ['n2', 'n3']) assert.deepEqual(runsOfOthers(checks.of(node, from), '200 OK'), [])
  assert.deepEqual(
    runsOfOthers(checks.of('n1', from), '200 OK').map(([first]) => first?.outcome),
    ['503 Down'],
  )
}

/** Every agent is another one afterwards, and the checks meanwhile heard OK of every node. */
async function upgradedUnseen(t: TestContext, checks: Checks): Promise<void> {
  const from = checks.count
  const were = uids(await place().pods())
  await place().upgrade(['podAnnotations.turn=two'])
  await place().rolledOut()
  const are = await place().pods()
  assert.equal(are.length, 3)
  assert.deepEqual(
    uids(are).filter((uid) => were.includes(uid)),
    [],
  )
  t.diagnostic(`${checks.count - from} checks`)
  for (const node of ['n1', 'n2', 'n3']) {
    const others = runsOfOthers(checks.of(node, from), '200 OK')
    // What waits in a backlog may be reset when the old agent closes: for so short a time that no balancer hears of two.
    assert.deepEqual(
      [...new Set(others.flat().map(({ outcome }) => outcome))].filter((one) => one !== 'ECONNRESET'),
      [],
    )
    t.diagnostic(`${node}: ${others.length} of ${checks.of(node, from).length} were reset`)
    for (const { begin, end } of others.map(spanOf)) assert.ok(end - begin < RESET_SPAN_MAX_MS, JSON.stringify(others))
    assert.ok(others.length <= RESETS_MAX, `${others.length} times checks of ${node} were reset`)
  }
}

describe('the chart on the network of the nodes', { ...real, concurrency: 1 }, () => {
  let checks: Checks

  // All that follows is an upgrade of it by the present one.
  test('is installed as it was while it was called evenkeel-agent, and every node answers from outside', async () => {
    await place().install([QUICK], earlierChart(join(place().bed.dir, 'earlier-chart')))
    await place().rolledOut()
    checks = place().check()
    await checks.say(ALL_UP)
    assert.equal(await place().page('n2', 8080, '/nodename'), '200 Node: "n2"')
  })

  test('a cordon takes exactly that node out, and its end brings it back', () => cordonFlips(checks))

  test('an agent is root without a capability, writes nothing but its two directories, and gains nothing', async () => {
    const { status, mounts } = await agentProcess(place(), 'n1')
    const { Uid, CapEff, CapPrm, CapBnd, CapInh, NoNewPrivs, Seccomp } = status
    assert.deepEqual({ Uid, NoNewPrivs, Seccomp }, { Uid: '0\t0\t0\t0', NoNewPrivs: '1', Seccomp: '2' })
    for (const set of [CapEff, CapPrm, CapBnd, CapInh]) assert.match(set ?? '', /^0+$/)
    assert.match(mounts['/'] ?? '', /^ro,/)
    const token =
      mounts['/run/secrets/kubernetes.io/serviceaccount'] ?? mounts['/var/run/secrets/kubernetes.io/serviceaccount']
    assert.match(token ?? '', /^ro,/)
    assert.match(mounts['/run/evenkeel'] ?? '', /^rw,/)
    assert.match(mounts['/var/lib/evenkeel'] ?? '', /^rw,/)
  })

  test('no client is served the token of its account', async () => {
    const file = 'var/run/secrets/kubernetes.io/serviceaccount/token'
    for (const path of [
      `/${file}`,
      `/../../../../${file}`,
      `//${file}`,
      `/%2e%2e/%2e%2e/${file}`,
      `/nodecheck/../../${file}`,
    ]) {
      for (const port of [8080, 8081]) assert.match(await place().page('n1', port, path), /^404 there is no such page/)
    }
  })

  atNight('an image that does not exist ends no agent that works', {}, async () => {
    const from = checks.count
    const were = uids(await place().pods())
    await place().upgrade(['image.tag=none'])
    const { spec } = await stuck('ImagePullBackOff')
    // Not ready for one question, and the old pod would be deleted for the new one.
    const node = spec.nodeName ?? ''
    const { pid } = await agentProcess(place(), node)
    await place().bed.exec(node, ['sh', '-c', `kill -STOP ${pid}; sleep 2.5; kill -CONT ${pid}`])
    await worksOn({ checks, from, were })
  })

  atNight('options that make no sense end no agent that works', {}, async () => {
    const from = checks.count
    const were = uids((await place().pods()).filter(isReady))
    await place().upgrade(['extraArgs={--no-such-option}'])
    const { status } = await stuck('CrashLoopBackOff')
    assert.equal(status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 2)
    await worksOn({ checks, from, were })
  })

  atNight('an agent that does not hear the API server ends no agent that works', {}, async () => {
    const from = checks.count
    const were = uids(await place().pods())
    await place().upgrade(['apiServer.host=10.77.0.250', 'apiServer.port=6443'])
    const { status } = await stuck('CrashLoopBackOff')
    assert.equal(status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 1)
    await worksOn({ checks, from, were })
  })

  test('a directory that cannot be read ends no agent that works, and takes no node out', async () => {
    const from = checks.count
    const were = uids(await place().pods())
    const mode = (bits: string) =>
      Promise.all(place().bed.nodes.map((node) => place().bed.exec(node, ['chmod', bits, '/var/lib/evenkeel'])))
    await mode('0000')
    await place().upgrade(['podAnnotations.read=no'])
    const { status } = await stuck('CrashLoopBackOff')
    assert.equal(status.containerStatuses?.[0]?.lastState.terminated?.exitCode, 1)
    await mode('0755')
    await worksOn({ checks, from, were })
  })

  atNight('agents that are told to ask a data port from now on ask it before they take over', {}, async () => {
    const from = checks.count
    // That of kube-proxy's metrics.
    await place().upgrade(['agent.dataPort=10249', 'agent.dataEvery=500ms', 'agent.upDelay=1s'])
    await place().rolledOut()
    for (const node of ['n1', 'n2', 'n3'])
      assert.deepEqual(
        runsOfOthers(checks.of(node, from), '200 OK')
          .flat()
          .filter(({ outcome }) => outcome !== 'ECONNRESET'),
        [],
      )
    assert.match(await place().page('n1', 8081, '/healthz'), /"dataPort":"open"/)
    await place().upgrade(['agent.dataPort=', 'agent.dataEvery=', 'agent.upDelay='])
    await place().rolledOut()
  })

  test('to keep nothing from now on is refused, as no agent of another user could begin beside the last', async () => {
    const were = uids(await place().pods())
    await assert.rejects(place().upgrade(['keep=false']), /keep cannot be changed by an upgrade/)
    assert.deepEqual(uids(await place().pods()), were)
  })

  test('an upgrade replaces every agent, and no check is refused', (t) => upgradedUnseen(t, checks))

  test('is removed, and no agent answers any more', async () => {
    await place().uninstall()
    await checks.say({ n1: 'ECONNREFUSED', n2: 'ECONNREFUSED', n3: 'ECONNREFUSED' })
    await checks.end()
  })
})

describe('the chart behind ports of the nodes', { ...real, concurrency: 1 }, () => {
  let checks: Checks

  test('is installed, and every node answers from outside', async () => {
    await place().install([QUICK, 'exposure=hostPort', 'agent.port=8090', 'agent.statusPort=8091'])
    await place().rolledOut()
    checks = place().check(8090)
    await checks.say(ALL_UP)
  })

  test('a cordon takes exactly that node out, and its end brings it back', () => cordonFlips(checks))

  test('an agent sees who asks, and not its own node', async () => {
    const { probers } = JSON.parse((await place().page('n1', 8091, '/probers')).slice(4))
    assert.deepEqual(
      probers.map(({ address }: { readonly address: string }) => address),
      ['10.77.0.1'],
    )
  })

  test('an upgrade takes one node at a time, each for some seconds', async (t) => {
    const from = checks.count
    await place().upgrade(['podAnnotations.turn=two'])
    await place().rolledOut()
    await checks.say(ALL_UP)
    const gaps = ['n1', 'n2', 'n3'].map((node) => spanOf(runsOfOthers(checks.of(node, from), '200 OK').flat()))
    t.diagnostic(`nobody answered for ${gaps.map(({ begin, end }) => `${Math.round(end - begin)} ms`).join(', ')}`)
    for (const { begin, end } of gaps) assert.ok(end - begin <= GAP_MAX_MS, JSON.stringify(gaps))
    const inOrder = gaps.toSorted((a, b) => a.begin - b.begin)
    for (const [i, gap] of inOrder.entries()) assert.ok(gap.begin >= (inOrder[i - 1]?.end ?? 0), JSON.stringify(gaps))
  })

  test('a broken image takes one node out and stops there', async () => {
    const from = checks.count
    await place().upgrade(['image.tag=none'])
    await stuck('ImagePullBackOff')
    const out = ['n1', 'n2', 'n3'].filter((node) => checks.of(node).at(-1)?.outcome !== '200 OK')
    assert.equal(out.length, 1)
    for (const node of ['n1', 'n2', 'n3'].filter((name) => !out.includes(name)))
      assert.deepEqual(runsOfOthers(checks.of(node, from), '200 OK'), [])
    await place().rollback()
    await checks.say(ALL_UP)
    await place().uninstall()
    await checks.end()
  })
})

describeAtNight('the chart without a directory of the node', { ...real, concurrency: 1 }, () => {
  let checks: Checks

  test('its agents are not root, and answer', async () => {
    await place().install([QUICK, 'keep=false', 'agent.upDelay=2s'])
    await place().rolledOut()
    checks = place().check()
    await checks.say(ALL_UP)
    const { status, mounts } = await agentProcess(place(), 'n1')
    assert.equal(status.Uid, '65532\t65532\t65532\t65532')
    assert.match(mounts['/'] ?? '', /^ro,/)
    assert.deepEqual(JSON.parse((await place().page('n1', 8081, '/healthz')).slice(4)).trouble, [])
  })

  test('though new ones know nothing of before, an upgrade says nothing but OK', async (t) => {
    await upgradedUnseen(t, checks)
    await checks.end()
  })

  after(async () => opened?.uninstall())
})

describe('the plain YAML', { ...real, concurrency: 1 }, () => {
  atNight('does without helm what the chart does', {}, async () => {
    const file = fileURLToPath(new URL('../../deploy/agent.yaml', import.meta.url))
    await place().bed.kubectl(['apply', '-f', file])
    await place().rolledOut()
    await place().check().say(ALL_UP)
    await place().bed.kubectl(['delete', '-f', file])
  })

  test('and an API server takes all that belongs to a controller', async () => {
    const all = await place().helm(['template', 'evenkeel-agent', CHART, '--set', 'controller.enabled=true'])
    const taken = await place().bed.kubectl(['apply', '--dry-run=server', '-o', 'name', '-f', '-'], { stdin: all })
    assert.match(taken, /^deployment\.apps\/evenkeel-agent-controller$/m)
    assert.match(taken, /^role\.rbac\.authorization\.k8s\.io\/evenkeel-agent-controller-events$/m)
  })
})

/** Resolves with a pod that waits for that reason. */
const stuck = (reason: string): Promise<AgentPod> =>
  waitFor({ what: `a pod in ${reason}`, limitMs: 120_000, everyMs: 200 }, async () =>
    (await place().pods()).find(({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === reason),
  )

interface Working {
  readonly checks: Checks
  readonly from: number
  /** The agents that ran before. */
  readonly were: readonly string[]
}

/** The agents that ran before still run, and no check was refused. What was broken is taken back. */
async function worksOn({ checks, from, were }: Working): Promise<void> {
  const working = (await place().pods()).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
  assert.deepEqual(uids(working), were)
  await place().rollback()
  await place().rolledOut()
  assert.deepEqual(uids((await place().pods()).filter(isReady)), were)
  for (const node of ['n1', 'n2', 'n3']) assert.deepEqual(runsOfOthers(checks.of(node, from), '200 OK'), [])
}
