import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, drop, IMAGE, REPLIES, toPod, WELL } from './dns-bed.ts'

const GONE_WITHIN_MS = 90_000

/** From a place that reaches the API server alone: by relays on two nodes, which the check makes and takes away. */
export function relayRows(place: () => DnsBed): void {
  const RELAY = ['--relay', '--image', IMAGE] as const
  const jobs = async (): Promise<string> => {
    const { bed } = place()
    const words = ['-n', 'evenkeel', '-o', 'name', '-l', 'app.kubernetes.io/component=dns-relay']
    return (await bed.kubectl(['get', 'jobs,pods', ...words])).trim()
  }
  const gone = (): Promise<true> =>
    waitFor({ what: 'no relay is left', limitMs: GONE_WITHIN_MS, everyMs: 250 }, async () =>
      (await jobs()) === '' ? true : undefined,
    )

  describe('asked from outside by relays', () => {
    test('is ok, from two nodes over UDP, and nothing is left of them', async () => {
      await place().bed.kubectl(['label', 'namespace', 'evenkeel', 'pod-security.kubernetes.io/enforce=restricted'])
      await place().from('outside', async () => {
        const { code, verdict, scene, notes } = await place().says(WELL, ...RELAY)
        assert.deepEqual([code, verdict], [0, 'ok'], JSON.stringify(notes))
        assert.deepEqual([...new Set(scene.paths.map(({ vantage }) => vantage))].toSorted(), ['relay n1', 'relay n2'])
        const service = scene.paths.filter(({ target }) => target.kind === 'service')
        assert.deepEqual(
          service.map(({ reading: { udp, tcp, data } }) => [udp, tcp, data]),
          Array(2).fill(['answers', 'answers', 'right']),
        )
        assert.ok(
          notes.some((note) => note.startsWith('here was not used')),
          JSON.stringify(notes),
        )
      })
      await gone()
    })

    atNight('is ok as one pod sees it, by a container that is added to it', {}, async () => {
      await place().from('outside', async () => {
        const { code, verdict, scene, notes } = await place().check(
          '--ephemeral',
          'default/neighbour',
          '--image',
          IMAGE,
        )
        assert.deepEqual([code, verdict], [0, 'ok'], JSON.stringify(notes))
        assert.deepEqual([...new Set(scene.paths.map(({ vantage }) => vantage))], ['pod default/neighbour'])
        assert.match(notes.join('\n'), /container evenkeel-dns-\w+ ends by itself; pod default\/neighbour names it/)
      })
    })

    atNight('is ok as one pod sees it, by a script that runs in it and leaves nothing there', {}, async () => {
      await place().from('outside', async () => {
        const { code, verdict, scene, notes } = await place().check('--exec', 'default/with-node/relay')
        assert.deepEqual([code, verdict], [0, 'ok'], JSON.stringify(notes))
        assert.deepEqual([...new Set(scene.paths.map(({ vantage }) => vantage))], ['pod default/with-node'])
        assert.match(notes.join('\n'), /^pod default\/with-node asked by node$/m)
        const script = 'OPEN_UDP, OPEN_TCP'
        assert.equal((await place().bed.exec('n2', ['pgrep', '-f', script])).stdout.trim(), '')
      })
    })

    atNight('a pod without a program for the script does not ask, and what it lacks is said', {}, async () => {
      await place().from('outside', async () => {
        const { code, verdict, notes } = await place().check('--exec', 'default/neighbour')
        assert.deepEqual([code, verdict], [3, 'unverified'])
        const why = /pod default\/neighbour did not ask: it has no node; it has no python3; it has no perl; --ephemeral/
        assert.match(notes.join('\n'), why)
      })
    })

    atNight('row 2: UDP to one pod is dropped, as both nodes see it', {}, async () => {
      const { name, address } = await place().podOn('n2')
      await place().filtered('n2', [toPod(address, 'udp', 53)], () =>
        place().from('outside', async () => {
          const { findings } = await place().says(new RegExp(`^UdpDead ${name}$`), ...RELAY)
          const [evidence = ''] = findings[0]?.evidence ?? []
          assert.match(evidence, /relay n1.*relay n2/)
        }),
      )
    })

    atNight('row 13: of one node alone the way to the Service is broken', {}, async () => {
      // Of a pod on n2 the replies come by the chain FORWARD.
      const rule = drop('FORWARD', ...REPLIES.slice(1), '-m', 'conntrack', '--ctorigdst', '10.96.0.10')
      await place().filtered('n2', [rule], () =>
        place().from('outside', async () => {
          await place().says(/^ProxyStale n2$/, ...RELAY)
        }),
      )
    })

    atNight('an image that no node has: it is said why there is no relay, and nothing is called well', {}, async () => {
      await place().from('outside', async () => {
        const { code, verdict, notes } = await place().check('--relay', '--image', 'evenkeel.local/none:1')
        assert.deepEqual([code, verdict], [3, 'unverified'])
        assert.match(
          notes.join('\n'),
          /a relay on n1 could not be started: in pod \S+ it does not start: \w*(?:Err|ImagePull)/,
        )
      })
      await gone()
    })

    atNight('a check that is killed leaves relays that end by themselves', {}, async () => {
      const [file, ...words] = place().command('outside', 'check', ...RELAY)
      const check = spawn(file, words, { stdio: 'ignore' })
      await waitFor(
        { what: 'a relay', limitMs: 30_000, everyMs: 100 },
        async () => (await jobs()).includes('pod/') || undefined,
      )
      check.kill('SIGKILL')
      await gone()
    })
  })
}
