import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { agentProcess } from '../support/agent-install/agent-process.ts'
import type { Check } from '../support/agent-install/checker-process.ts'
import { type AgentPod, InstallBed } from '../support/agent-install/install-bed.ts'
import { requires } from '../support/requires.ts'

const ALL_UP = { n1: '200 OK', n2: '200 OK', n3: '200 OK' }
const NODES = Object.keys(ALL_UP)
/** Half of three, rounded down. */
const MAX_OUT = 1

let opened: InstallBed | undefined
const place = (): InstallBed => {
  assert.ok(opened)
  return opened
}
const real = requires('testbed', 'helm')

before(async () => {
  if (real.skip === false) opened = await InstallBed.open()
})
after(async () => opened?.close())

/** The pod whose name is in the holder's identity. */
async function leader(): Promise<AgentPod> {
  const lease = await place().bed.kubectl(['-n', 'evenkeel', 'get', 'lease', 'evenkeel-controller', '-o', 'json'])
  const holder = String(JSON.parse(lease).spec.holderIdentity)
  const pod = (await place().pods('controller')).find(({ metadata }) => holder.includes(metadata.name))
  assert.ok(pod, `${holder} is no pod`)
  return pod
}

/** How many nodes were refused at once, at most, going from check to check. */
function mostOut(checks: readonly Check[]): number {
  const last = new Map<string, string>()
  let most = 0
  for (const { node, outcome } of checks.toSorted((one, other) => one.atMs - other.atMs)) {
    last.set(node, outcome)
    most = Math.max(most, [...last.values()].filter((each) => each !== '200 OK').length)
  }
  return most
}

test('all nodes are cordoned at once and the leader of two controllers is killed: no more leave than may, and events say why', {
  ...real,
  timeout: 300_000,
}, async (t) => {
  const { bed } = place()
  await place().install(['minReadySeconds=4', 'agent.upDelay=1s', 'controller.enabled=true'])
  await place().rolledOut()
  const controllers = 'deployment/evenkeel-agent-controller'
  await bed.kubectl(['-n', 'evenkeel', 'rollout', 'status', controllers, '--timeout=120s'])
  const checks = place().check()
  await checks.say(ALL_UP)
  await waitFor({ what: 'grants to be published', limitMs: 30_000, everyMs: 100 }, async () => {
    const maps = await bed.kubectl(['-n', 'evenkeel', 'get', 'configmaps', '-o', 'name'])
    return maps.includes('evenkeel-cordon-grants') ? true : undefined
  })
  const leads = await leader()
  const on = leads.spec.nodeName ?? ''
  const { pid } = await agentProcess(place(), on, 'controller')
  const from = checks.count
  const burst = bed.kubectl(['cordon', ...NODES])
  const killed = bed.exec(on, ['kill', '-KILL', String(pid)])
  await Promise.all([burst, killed])
  const events = async (): Promise<readonly string[]> => {
    const json = await bed.kubectl(['get', 'events', '--field-selector', 'reason=CordonNotGranted', '-o', 'json'])
    const items = JSON.parse(json).items as readonly { involvedObject: { name: string }; message: string }[]
    return [...new Set(items.map(({ involvedObject }) => involvedObject.name))].toSorted()
  }
  const waiting = await waitFor({ what: 'two nodes to be told that they wait', limitMs: 90_000 }, async () => {
    const nodes = await events()
    return nodes.length === NODES.length - MAX_OUT ? nodes : undefined
  })
  const [out = ''] = NODES.filter((node) => !waiting.includes(node))
  await checks.say({ ...ALL_UP, [out]: '503 Down' })
  assert.equal(mostOut(checks.of(out, from).concat(...waiting.map((node) => checks.of(node, from)))), MAX_OUT)

  const back = checks.count
  await bed.kubectl(['uncordon', out])
  const next = await waitFor({ what: 'the next node to be let out', limitMs: 60_000 }, () =>
    waiting.find((node) => checks.of(node).at(-1)?.outcome === '503 Down'),
  )
  await checks.say({ ...ALL_UP, [next]: '503 Down' })
  assert.equal(mostOut(NODES.flatMap((node) => checks.of(node, back))), MAX_OUT)
  t.diagnostic(`${out} first, then ${next}`)
  await checks.end()
})
