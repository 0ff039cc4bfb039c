import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runToEnd } from '../../../testbed/machine/run.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, drop, IMAGE, REPLIES, toPod, WELL } from './dns-bed.ts'

const HEARD_WITHIN_MS = 60_000

/** What is done about a sick pod of DNS on a real cluster, and what is not. */
export function repairRows(place: () => DnsBed): void {
  const uidOf = async (name: string): Promise<string> =>
    (await place().bed.kubectl(['get', 'pod', '-n', 'kube-system', name, '-o', 'jsonpath={.metadata.uid}'])).trim()
  const forget = (): Promise<void> => place().forgetRepairs()

  /** That guard alone, once DNS has got over what was done to it before. */
  const heldBy = async (guard: string): Promise<void> => {
    let last = ''
    const what = `a repair that ${guard} alone holds`
    await waitFor({ what, limitMs: HEARD_WITHIN_MS, everyMs: 200, explain: () => last }, async () => {
      const { code, decision } = await place().repair()
      last = JSON.stringify(decision)
      assert.notEqual(decision.kind, 'act', last)
      const holding = (decision.guards ?? []).filter(({ holds }) => !holds)
      return (code === 3 && holding.length === 1 && holding[0]?.guard === guard) || undefined
    })
  }

  describe('repair', () => {
    test('a dry run says what would be done and that every guard holds, and touches nothing', async () => {
      const { name, address } = await place().podOn('n2')
      const uid = await uidOf(name)
      await place().filtered('n2', [toPod(address, 'udp', 53)], async () => {
        const { code, decision, outcome } = await place().repair('--dry-run')
        assert.deepEqual(
          [code, decision.kind, decision.step, decision.sick?.name, outcome],
          [0, 'act', 'quarantine', name, undefined],
          JSON.stringify(decision),
        )
        assert.deepEqual(
          decision.guards?.map(({ holds }) => holds),
          Array(8).fill(true),
        )
      })
      assert.equal(await uidOf(name), uid)
    })

    test('where all is well nothing is done', async () => {
      const { code, decision } = await place().repair()
      assert.deepEqual([code, decision.kind, decision.why], [0, 'nothing', 'DNS is healthy'])
    })

    atNight(
      'the pod that is dead over UDP is replaced and kept, and resolvers lose nothing once it is out',
      {},
      async (t) => {
        const { name, address } = await place().podOn('n2')
        const uid = await uidOf(name)
        await place().filtered('n2', [toPod(address, 'udp', 53)], async () => {
          const load = await place().load(500)
          try {
            await load.losing()
            const repaired = await place().repair()
            assert.deepEqual([repaired.code, repaired.outcome?.kind], [0, 'cured'], JSON.stringify(repaired))
            assert.equal(await uidOf(name), uid)
            const labels = await place().bed.kubectl([
              'get',
              'pod',
              '-n',
              'kube-system',
              name,
              '-o',
              'jsonpath={.metadata.labels}',
            ])
            assert.deepEqual(JSON.parse(labels), { 'evenkeel.dev/quarantine': 'dns' })
            const { asked, lost } = await load.end()
            // The repair watched for a minute after DNS was well.
            const watchedFrom = Math.max(...asked) - 55_000
            const watched = asked.filter((at) => at > watchedFrom).length
            assert.ok(watched > 55 * 450, `${watched} queries in 55 s`)
            assert.deepEqual(
              lost.filter((at) => at > watchedFrom),
              [],
            )
            t.diagnostic(
              `${lost.length} of ${asked.length} queries were lost, the last ${Math.max(...asked) - Math.max(...lost)} ms before the end`,
            )
          } finally {
            load.stop()
          }
          const held = await place().repair('--dry-run')
          assert.equal(held.decision.kind, 'nothing')
        })
        await forget()
      },
    )

    atNight(
      'all pods dead over UDP, one replica, a cordoned node, a spent budget: no repair, and it is said why',
      {},
      async () => {
        await forget()
        const pods = await place().pods(2)
        const addressOn = (node: string): string => pods.find((one) => one.node === node)?.addresses[0] ?? ''
        const [first, second] = [addressOn('n1'), addressOn('n2')]
        const { name } = await place().podOn('n2')
        const from = (node: string, address: string, during: () => Promise<void>) =>
          place().filteredInside(node, [toPod(address, 'udp', 53)], during)
        await from('n1', first, () =>
          from('n2', second, async () => {
            const { code, decision } = await place().repair()
            assert.deepEqual([code, decision.kind], [1, 'nothing'])
            assert.match(decision.why ?? '', /^UdpDropped: no DNS pod is at fault/)
          }),
        )
        await place().says(WELL)
        await from('n2', second, async () => {
          await place().bed.kubectl(['cordon', 'n1'])
          await heldBy('nothingElseMoves')
          await place().bed.kubectl(['uncordon', 'n1'])
          const budget = ['poddisruptionbudget', 'coredns', '-n', 'kube-system']
          await place().bed.kubectl(['create', ...budget, '--selector=k8s-app=kube-dns', '--min-available=2'])
          await waitFor({ what: 'the budget is counted', limitMs: HEARD_WITHIN_MS, everyMs: 200 }, async () => {
            const status = await place().bed.kubectl(['get', ...budget, '-o', 'jsonpath={.status.currentHealthy}'])
            return status.trim() === '2' || undefined
          })
          await heldBy('budget')
          await place().bed.kubectl(['delete', ...budget])
        })
        assert.equal((await place().podOn('n2')).name, name)
        await place().scale(1)
        const [only] = await place().pods(1)
        await from(only?.node ?? '', only?.addresses[0] ?? '', async () => {
          const { code, decision } = await place().repair()
          assert.deepEqual([code, decision.kind], [1, 'nothing'])
          assert.match(decision.why ?? '', /^OnlyPodDead/)
        })
        await place().scale(2)
        await place().says(WELL)
      },
    )

    atNight('kube-proxy broken on a node: no repair, and it is said why', {}, async () => {
      const { name } = await place().podOn('n2')
      const uid = await uidOf(name)
      // Of a pod on n2 the replies come by the chain FORWARD.
      const rule = drop('FORWARD', ...REPLIES.slice(1), '-m', 'conntrack', '--ctorigdst', '10.96.0.10')
      await place().filteredInside('n2', [rule], async () => {
        const { code, decision } = await place().repair()
        assert.deepEqual([code, decision.kind], [1, 'nothing'])
        assert.match(decision.why ?? '', /^ProxyStale: no DNS pod is at fault/)
      })
      assert.equal(await uidOf(name), uid)
      await place().says(WELL)
    })

    atNight('the API server is away: no repair, and it is said why', {}, async () => {
      const { name, address } = await place().podOn('n2')
      const uid = await uidOf(name)
      const { bed } = place()
      await place().filteredInside('n2', [toPod(address, 'udp', 53)], async () => {
        await bed.api.stop()
        try {
          const [file, ...words] = place().command('outside', 'repair', '--relay', '--image', IMAGE)
          const { code, stdout } = await runToEnd([file, ...words], { limitMs: 60_000 })
          assert.equal(code, 2)
          assert.match(stdout, /"code": "KUBE_UNREACHABLE"/)
        } finally {
          await bed.api.start()
        }
      })
      await place().says(WELL)
      assert.equal(await uidOf(name), uid)
    })

    atNight('a pod of a DaemonSet is evicted, and comes back well on its node', {}, async () => {
      await forget()
      const { bed } = place()
      const { spec } = JSON.parse(
        await bed.kubectl(['get', 'deployment', 'coredns', '-n', 'kube-system', '-o', 'json']),
      )
      const metadata = { name: 'coredns-everywhere', namespace: 'kube-system' }
      const { selector, template } = spec
      const { topologySpreadConstraints: _, ...podSpec } = template.spec
      const own = { app: 'coredns-everywhere' }
      await bed.apply([
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          metadata,
          spec: {
            selector: { matchLabels: { ...selector.matchLabels, ...own } },
            template: { metadata: { labels: { ...template.metadata.labels, ...own } }, spec: podSpec },
          },
        },
      ])
      await place().scale(0)
      await waitFor({ what: 'pods of the DaemonSet alone', limitMs: HEARD_WITHIN_MS, everyMs: 200 }, async () => {
        const { pods } = (await place().check()).scene
        return (pods.length === 2 && pods.every((pod) => pod.name.startsWith(metadata.name))) || undefined
      })
      await place().says(WELL)
      const { name, address } = await place().podOn('n2')
      await place().filtered('n2', [toPod(address, 'udp', 53)], async () => {
        const { code, decision, outcome } = await place().repair()
        assert.deepEqual(
          [code, decision.step, outcome?.kind],
          [0, 'evict', 'cured'],
          JSON.stringify({ decision, outcome }),
        )
        assert.notEqual((await place().podOn('n2')).name, name)
      })
      await place().scale(2)
      await bed.kubectl(['delete', 'daemonset', '-n', 'kube-system', metadata.name, '--wait=true'])
      await forget()
      await place().pods(2)
      await place().says(WELL)
    })
  })
}
