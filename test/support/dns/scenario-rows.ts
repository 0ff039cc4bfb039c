import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, IMAGE, toPod } from './dns-bed.ts'
import { exposed } from './exposed.ts'

/** UDP of one pod is dead and its TCP alive, as each of the four ways to run the checker sees it, and what is done about it. */
export function scenarioRows(place: () => DnsBed): void {
  const sick = async (during: (pod: { readonly name: string }) => Promise<void>): Promise<void> => {
    const { name, address } = await place().podOn('n2')
    await place().filtered('n2', [toPod(address, 'udp', 53)], () => during({ name }))
  }

  describe('UDP of one pod is dead, in four scenarios', () => {
    atNight('1, in a pod: named; one node alone sees it, which holds a repair', {}, () =>
      sick(async ({ name }) => {
        await place().from('podOnN2', async () => {
          await place().says(new RegExp(`^UdpDead ${name}$`))
          const { code, decision } = await place().repairFrom('podOnN2')
          assert.deepEqual([code, decision.kind, decision.sick?.name], [3, 'held', name])
          const holding = decision.guards?.filter(({ holds }) => !holds) ?? []
          assert.deepEqual(
            holding.map(({ guard }) => guard),
            ['evidence'],
          )
        })
      }),
    )

    atNight('3, a node port alone: the loss is seen and no pod is named, so that none is touched', {}, async () => {
      const { address } = await place().podOn('n2')
      await exposed(place(), () =>
        place().filteredInside('n2', [toPod(address, 'udp', 53)], async () => {
          await place().says(/ExposedLoses kube-system\/kube-dns/)
          const { code, decision } = await place().repairFrom('hub')
          assert.deepEqual([code, decision.kind], [1, 'nothing'])
          assert.match(decision.why ?? '', /ExposedLoses.*no DNS pod is at fault/)
        }),
      )
    })

    atNight('4, port-forward alone: the pod is suspect, and a suspicion repairs nothing', {}, () =>
      sick(async ({ name }) => {
        const load = place().load(50)
        try {
          await place().from('outside', async () => {
            await place().says(new RegExp(`^UdpSuspect ${name}; UdpObserved `))
            const { code, decision } = await place().repairFrom('outside')
            assert.deepEqual([code, decision.kind], [1, 'nothing'])
            assert.match(decision.why ?? '', /UdpSuspect/)
          })
        } finally {
          load.stop()
        }
      }),
    )

    atNight('1 and 2, in a pod, and relays on two nodes: named, repaired, and well', {}, () =>
      sick(async ({ name }) => {
        await place().forgetRepairs()
        const repaired = await place().repairFrom('podOnN2', '--relay', '--image', IMAGE)
        const { code, decision, outcome } = repaired
        assert.deepEqual(
          [code, decision.sick?.name, outcome?.kind],
          [0, name, 'cured'],
          JSON.stringify({ decision, outcome }),
        )
        const labels = ['get', 'pod', '-n', 'kube-system', name, '-o', 'jsonpath={.metadata.labels}']
        assert.deepEqual(JSON.parse(await place().bed.kubectl(labels)), { 'evenkeel.dev/quarantine': 'dns' })
        await place().forgetRepairs()
      }),
    )
  })
}
