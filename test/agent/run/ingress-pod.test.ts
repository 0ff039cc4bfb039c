import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace } from '../../support/agent/agent-place.ts'
import {
  applyIngress,
  askWithoutEnd,
  deleteIngress,
  freePorts,
  pageAt,
  portAnswers,
} from '../../support/agent/ingress-on-place.ts'

const ORIGINAL = 'ingressdaemonsets.mumoshu.github.io'

test('a pod of a health checker answers at the ports of its object, and asks for Deployments of its namespace alone', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0, next = 0, api = 0] = await freePorts(3)
  await applyIngress(place, { ports: [web], by: 'pods', ready: 1, group: 'evenkeel.dev' })
  await applyIngress(place, { name: 'api', ports: [api], by: 'pods' })
  const pod = place.ingressPod('default/web', 'pod-1')
  await portAnswers(web, '503 Down')
  assert.equal(await pageAt(web, '/nodename'), '200 Node: "n1", IngressDaemonSet: "evenkeel.dev/default/web"')
  await applyIngress(place, { ports: [web, next], by: 'pods' })
  await portAnswers(next, '200 OK')
  await portAnswers(web, '200 OK')
  await applyIngress(place, { ports: [next], by: 'pods', isMarked: true })
  await portAnswers(web, 'refused')
  await portAnswers(next, '404 Drain', '/nodecheck?dialect=disable-on-404')
  // A cordon is no mark: what takes the node out marks the Deployment.
  await place.patch({ spec: { unschedulable: true } })
  await applyIngress(place, { ports: [next], by: 'pods' })
  await portAnswers(next, '200 OK')
  assert.equal(await pageAt(api), 'refused')
  assert.deepEqual([...place.needed].toSorted(), [
    'list apps deployments default *',
    'watch apps deployments default *',
  ])
  await deleteIngress(place, 'web')
  await portAnswers(next, 'refused')
  assert.equal(await pod.kill('SIGTERM'), 0)
})

test('the Deployment of an object of the other group, which has the same name, is not answered for', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0] = await freePorts(1)
  await applyIngress(place, { ports: [web], by: 'pods', group: ORIGINAL })
  const ours = place.ingressPod('default/web', 'ours')
  await waitFor({ what: 'our pod to know', limitMs: 10_000, everyMs: 20 }, () => ours.said.length > 0 || undefined)
  place.ingressPod(`${ORIGINAL}/default/web`, 'theirs')
  await portAnswers(web, '200 OK')
  assert.equal(await pageAt(web, '/nodename'), `200 Node: "n1", IngressDaemonSet: "${ORIGINAL}/default/web"`)
})

test('law: an API server that is away changes no answer of an agent, unless its options say so; nor of a pod of a health checker, over a restart', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0] = await freePorts(1)
  await applyIngress(place, { ports: [web], by: 'pods', isMarked: true })
  const first = place.ingressPod('default/web', 'run')
  await portAnswers(web, '503 Down')
  await applyIngress(place, { ports: [web], by: 'pods' })
  await portAnswers(web, '200 OK')
  await waitFor({ what: 'its memory', limitMs: 5_000, everyMs: 10 }, () =>
    place.isRemembered('ingress', '"isMarked":false'),
  )
  place.away()
  assert.equal(await pageAt(web), '200 OK')
  await first.kill('SIGKILL')
  place.ingressPod('default/web', 'run')
  await portAnswers(web, '200 OK')
})

test('a pod that hears nothing of its object ends in time and says why, and the one that it was to replace goes on', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0] = await freePorts(1)
  await applyIngress(place, { ports: [web], by: 'pods' })
  place.ingressPod('default/web', 'old')
  await portAnswers(web, '200 OK')
  place.away()
  const next = place.ingressPod('default/web', 'new', '--takeover-limit', '500ms')
  assert.equal(await next.ended(), 1)
  assert.match(next.said.at(-1) ?? '', /has not shown the Deployment of the node in time/)
  assert.equal(await pageAt(web), '200 OK')
})

/** How many sockets listen at that port of this machine (proc_net_tcp.rst: state 0A). */
async function listeners(port: number): Promise<number> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/))
  return rows.filter(([, at, , state]) => at?.endsWith(local) === true && state === '0A').length
}

test('while one pod of a health checker takes over from another there is no moment without an answer', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0] = await freePorts(1)
  await applyIngress(place, { ports: [web], by: 'pods' })
  let last = place.ingressPod('default/web', 'pod-0')
  await portAnswers(web, '200 OK')
  const heard = askWithoutEnd(t, web)
  for (let upgrade = 1; upgrade <= 2; upgrade += 1) {
    const next = place.ingressPod('default/web', `pod-${upgrade}`)
    await waitFor({ what: 'the new pod to listen too', limitMs: 10_000, everyMs: 10 }, async () =>
      (await listeners(web)) === 2 ? true : undefined,
    )
    assert.equal(await last.kill('SIGTERM'), 0)
    last = next
  }
  const seen = await heard()
  const wrong = seen.filter((answer) => answer !== '200 OK')
  // A check that is about to be accepted by the one that ends is reset by the kernel; never two of one checker in a row.
  assert.ok(seen.every((answer, i) => answer === '200 OK' || seen[i - 1] === '200 OK'))
  assert.ok(seen.length > 50 && wrong.length <= 2 && wrong.every((answer) => answer === 'refused'), wrong.join())
})

test('an agent leaves the port to the pods of the health checker, and takes it when they are no longer to answer', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0] = await freePorts(1)
  await applyIngress(place, { ports: [web] })
  const agent = await place.agent('--ingress')
  await portAnswers(web, '200 OK')
  const byAgent = '200 Node: "n1"'
  const byPod = `${byAgent}, IngressDaemonSet: "evenkeel.dev/default/web"`
  assert.equal(await pageAt(web, '/nodename'), byAgent)
  const ingresses = async () => (await agent.health()).ingress?.length
  place.ingressPod('default/web', 'pod')
  assert.equal(await ingresses(), 1)
  for (let turn = 0; turn < 2; turn += 1) {
    await applyIngress(place, { ports: [web], by: 'pods' })
    await portAnswers(web, byPod, '/nodename')
    assert.equal(await ingresses(), 0)
    await applyIngress(place, { ports: [web] })
    await portAnswers(web, byAgent, '/nodename')
    assert.equal(await ingresses(), 1)
  }
  assert.deepEqual((await agent.health()).trouble, [])
})
