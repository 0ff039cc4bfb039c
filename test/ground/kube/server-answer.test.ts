import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { serverAnswer } from '../../../src/ground/kube/server-answer.ts'
import { kubeconfig } from '../../../testbed/pki/kubeconfig.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { answering, FakeApiServer } from './fake-api-server.ts'
import { aFolder, serverUrl } from './opened.ts'

const NOW = '2026-11-27T12:00:00.400Z'

async function answer(t: TestContext, date: string): Promise<Awaited<ReturnType<typeof serverAnswer>>> {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  const kubeconfigPath = join(await aFolder(t), 'kubeconfig')
  const authorityPem = server.authority.certificatePem
  await writeFile(kubeconfigPath, kubeconfig({ server: serverUrl(server), authorityPem, user: { token: 'let-me-in' } }))
  const clock = new VirtualClock(NOW)
  const log = { debug: () => undefined, warn: () => undefined }
  const options = { kubeconfigPath, context: undefined, env: {}, clock, random: new SeededRandom(1), log }
  const { signal } = new AbortController()
  const { parts } = await openApi({ ...options, userAgent: 'evenkeel/test' }, signal)
  server.putInTheWay('GET /version', answering(200, { gitVersion: 'v1.34.1' }, { date }))
  return serverAnswer({ client: parts.client, clock }, signal)
}

for (const [what, date, aheadMs] of [
  ['the same second is no difference', 'Fri, 27 Nov 2026 12:00:00 GMT', 0],
  ['a clock ahead of ours', 'Fri, 27 Nov 2026 12:00:10 GMT', 9_600],
  ['a clock behind ours, whose date lost up to a second', 'Fri, 27 Nov 2026 11:59:50 GMT', -9_400],
  ['a date that makes no sense', 'soon', undefined],
] as const)
  test(`the clock of the API server: ${what}`, async (t) => {
    const seen = await answer(t, date)
    assert.deepEqual(seen, { version: 'v1.34.1', ...(aheadMs === undefined ? {} : { aheadMs }) })
  })
