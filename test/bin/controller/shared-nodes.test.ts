import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sharedNodes } from '../../../bin/controller/shared-nodes.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeconfigCredentials } from '../../../src/ground/kube/kubeconfig-credentials.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { kubeconfig } from '../../../testbed/pki/kubeconfig.ts'
import { FakeApiServer } from '../../ground/kube/fake-api-server.ts'
import { aFolder, serverUrl } from '../../ground/kube/opened.ts'

type Shared = ReturnType<typeof sharedNodes>
type Follow = (sink: (event: FollowEvent<{ readonly name: string }>) => void, signal: AbortSignal) => Promise<void>

const STOPPED = new Error('stopped')

/** A follower, with the names that it knows. */
function follower(t: TestContext, follow: Follow) {
  const [view, stop] = [new Set<string>(), new AbortController()]
  const ended = follow((event) => {
    if (event.type === 'listed') view.clear()
    for (const { name } of event.type === 'listed' ? event.objects : []) view.add(name)
    if (event.type === 'applied') view.add(event.object.name)
    if (event.type === 'deleted') view.delete(event.object.name)
  }, stop.signal)
  const settled = ended.catch((error: unknown) => error)
  t.after(async () => {
    stop.abort(STOPPED)
    await settled
  })
  const knows = (...names: readonly string[]): Promise<true> =>
    waitFor(
      { what: names.join(), limitMs: 10_000, everyMs: 5 },
      () => [...view].toSorted().join() === names.join() || undefined,
    )
  return { knows, stop: () => stop.abort(STOPPED), settled }
}

async function opened(
  t: TestContext,
): Promise<{ readonly server: FakeApiServer; readonly shared: Shared; readonly warnings: string[] }> {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  const path = join(await aFolder(t), 'kubeconfig')
  const user = { token: 'let-me-in' }
  await writeFile(path, kubeconfig({ server: serverUrl(server), authorityPem: server.authority.certificatePem, user }))
  const credentials = await kubeconfigCredentials({ paths: [path], context: undefined, env: {} }, clock)
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' })
  const warnings: string[] = []
  const log = { debug: () => undefined, warn: (text: string) => void warnings.push(text) }
  return { server, shared: sharedNodes({ client, reach: new ApiReach(clock), clock, random, log }), warnings }
}

test('two followers share one list and one watch, and each gets every change', async (t) => {
  const { server, shared } = await opened(t)
  server.apply('a')
  const [fleet, nodes] = [follower(t, shared.fleet), follower(t, shared.nodes)]
  await Promise.all([fleet.knows('a'), nodes.knows('a')])
  server.apply('b')
  await Promise.all([fleet.knows('a', 'b'), nodes.knows('a', 'b')])
  server.delete('a')
  await Promise.all([fleet.knows('b'), nodes.knows('b')])
  assert.deepEqual([server.count('list'), server.count('watch')], [1, 1])
})

test('a node that makes no sense counts for the fleet, and is left out of the nodes with a warning', async (t) => {
  const { server, shared, warnings } = await opened(t)
  const [fleet, nodes] = [follower(t, shared.fleet), follower(t, shared.nodes)]
  await Promise.all([fleet.knows(), nodes.knows()])
  server.apply('a', { unschedulable: 'perhaps' })
  server.apply('b')
  await Promise.all([fleet.knows('a', 'b'), nodes.knows('b')])
  server.delete('a')
  await fleet.knows('b')
  assert.deepEqual([...new Set(warnings)], ['a malformed object is left out'])
})

test('a later follower gets a list, and a follower that stops does not stop the other', async (t) => {
  const { server, shared } = await opened(t)
  server.apply('a')
  const fleet = follower(t, shared.fleet)
  await fleet.knows('a')
  const nodes = follower(t, shared.nodes)
  await nodes.knows('a')
  fleet.stop()
  assert.equal(await fleet.settled, STOPPED)
  server.apply('b')
  await nodes.knows('a', 'b')
  nodes.stop()
  assert.equal(await nodes.settled, STOPPED)
  await waitFor(
    { what: 'the watch to be closed', limitMs: 10_000, everyMs: 5 },
    () => server.watches === 0 || undefined,
  )
  const again = follower(t, shared.fleet)
  await again.knows('a', 'b')
})

test('a follower that starts at the moment when the last one stops gets a list as well', async (t) => {
  const { server, shared } = await opened(t)
  server.apply('a')
  for (let turns = 0; turns < 12; turns += 1) {
    const last = follower(t, shared.fleet)
    await last.knows('a')
    last.stop()
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    const next = follower(t, shared.nodes)
    await next.knows('a')
    next.stop()
    await next.settled
  }
})

test('after an outage both followers get the same new list', async (t) => {
  const { server, shared } = await opened(t)
  server.apply('a')
  const [fleet, nodes] = [follower(t, shared.fleet), follower(t, shared.nodes)]
  await Promise.all([fleet.knows('a'), nodes.knows('a')])
  server.resetConnections()
  server.compact()
  server.apply('b')
  await Promise.all([fleet.knows('a', 'b'), nodes.knows('a', 'b')])
})
