import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { podRange } from '../../../testbed/addresses.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { type Checked, type DnsBed, drop, IMAGE, toPod, WELL } from './dns-bed.ts'
import { exposed } from './exposed.ts'
import { identityFor, type Way } from './vantage-identity.ts'

/** Each place that asks, alone: by an identity that may do just that. */
export function vantageRows(place: () => DnsBed): void {
  const asOnly = async (way: Way, during: () => Promise<void>): Promise<void> =>
    place().as(await identityFor(place().bed, way), during)
  const askedFrom = ({ scene }: Checked): readonly string[] => [...new Set(scene.paths.map(({ vantage }) => vantage))]
  const targets = ({ scene }: Checked): readonly string[] => [...new Set(scene.paths.map(({ target }) => target.kind))]

  describe('each place alone, by an identity that may do just that', () => {
    atNight('in a pod: is ok', {}, () =>
      asOnly('sockets', () =>
        place().from('podOnN2', async () => {
          const checked = await place().says(WELL)
          assert.deepEqual([checked.code, checked.verdict, askedFrom(checked)], [0, 'ok', ['here']])
          assert.deepEqual(targets(checked), ['pod', 'service'])
        }),
      ),
    )

    test('on a node, to which pods are routed: is ok', () =>
      asOnly('sockets', async () => {
        const checked = await place().says(WELL)
        assert.deepEqual([checked.code, checked.verdict, targets(checked)], [0, 'ok', ['pod', 'service']])
      }))

    atNight('by relays: is ok', {}, () =>
      asOnly('relay', () =>
        place().from('outside', async () => {
          const checked = await place().says(WELL, '--relay', '--image', IMAGE)
          assert.deepEqual([checked.code, askedFrom(checked)], [0, ['relay n1', 'relay n2']])
        }),
      ),
    )

    atNight('by a container that is added to a pod: is ok', {}, () =>
      asOnly('ephemeral', () =>
        place().from('outside', async () => {
          const checked = await place().says(WELL, '--ephemeral', 'default/neighbour', '--image', IMAGE)
          assert.deepEqual([checked.code, askedFrom(checked)], [0, ['pod default/neighbour']])
        }),
      ),
    )

    atNight('by a script that runs in a pod: is ok', {}, () =>
      asOnly('exec', () =>
        place().from('outside', async () => {
          const checked = await place().says(WELL, '--exec', 'default/with-node/relay')
          assert.deepEqual([checked.code, askedFrom(checked)], [0, ['pod default/with-node']])
        }),
      ),
    )

    test('by port-forward, while resolvers ask: is observed', () =>
      asOnly('portForward', () =>
        place().from('outside', async () => {
          const load = place().load(50)
          try {
            const checked = await place().says(/^UdpObserved \S+, \S+$/)
            assert.deepEqual([checked.code, checked.verdict, askedFrom(checked)], [3, 'observed', ['port-forward']])
          } finally {
            load.stop()
          }
        }),
      ))

    test('all of them at once, by the rights that are shipped: is ok', () =>
      place().from('outside', async () => {
        const made = ['--relay', '--ephemeral', 'default/neighbour', '--image', IMAGE]
        const checked = await place().says(WELL, ...made, '--exec', 'default/with-node/relay')
        assert.equal(checked.code, 0)
        const places = ['pod default/neighbour', 'pod default/with-node', 'relay n1', 'relay n2']
        assert.deepEqual(askedFrom(checked).toSorted(), places)
      }))

    describe('where the Service is exposed by node ports, and nothing else is reached', () => {
      atNight('is ok; with UDP to one pod dropped it loses, with UDP to all dropped it is dead over UDP', {}, () =>
        exposed(place(), () =>
          asOnly('sockets', async () => {
            const checked = await place().says(/^HealthyFromOutside kube-system\/kube-dns$/)
            assert.deepEqual([checked.code, checked.verdict, targets(checked)], [0, 'ok', ['exposed']])
            const [pod] = checked.scene.pods
            await place().filteredInside(pod?.node ?? '', [toPod(pod?.addresses[0] ?? '', 'udp', 53)], async () => {
              const lossy = await place().says(/^ExposedLoses kube-system\/kube-dns/)
              assert.equal(lossy.code, 1)
            })
            const udp = drop('FORWARD', '-d', podRange, '-p', 'udp', '--dport', '53')
            await place().filteredInside('n1', [udp], () =>
              place().filteredInside('n2', [udp], async () => {
                await place().says(/^ExposedUdpDead kube-system\/kube-dns/)
              }),
            )
          }),
        ),
      )
    })
  })
}
