import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { Workload } from '../../../src/ground/model/workload.ts'
import { podsOf } from '../../../src/roll/decide/drain/ready-pods.ts'
import { workloadOf } from '../../../src/roll/decide/drain/workload-of.ts'
import { servesNothing } from '../../../src/service/decide/budget/serves-nothing.ts'
import { keepIndexes } from '../../../src/service/decide/keep-indexes.ts'
import { allowedServers, belongsTo, matchNodeServers } from '../../../src/service/decide/match-node-servers.ts'
import { aNode, anInstance, aPod, aServer, aSnapshot, aWorkload } from '../../support/roll-world.ts'

const UIDS = ['a', 'b', 'c', 'd', 'e'] as const
const controller = fc.option(
  fc.constantFrom(...UIDS).map((uid) => ({ kind: 'ReplicaSet', name: uid, uid })),
  { nil: undefined },
)
const workloads = fc.array(
  fc
    .tuple(fc.constantFrom(...UIDS), controller)
    .map(([uid, owner]) => aWorkload({ uid, name: uid, ...(owner === undefined ? {} : { controller: owner }) })),
  { maxLength: 8 },
)
const pods = fc.array(controller, { maxLength: 12 }).map((owners) =>
  owners.map((owner, i): Pod => {
    const { controller: _, ...pod } = aPod(`p${i}`, 'n1')
    return owner === undefined ? pod : { ...pod, controller: owner }
  }),
)

/** As it is meant, without an index. */
function plainWorkloadOf(pod: Pod, all: readonly Workload[]): Workload | undefined {
  const direct = all.find(({ uid }) => uid === pod.controller?.uid)
  if (direct?.controller === undefined) return direct
  return all.find(({ uid }) => uid === direct.controller?.uid) ?? direct
}

test('the index of workloads agrees with looking through all of them, whatever there is', () => {
  fc.assert(
    fc.property(pods, workloads, workloads, (somePods, some, later) => {
      const s = aSnapshot()
      // The same list of pods under another list of workloads: nothing of the first may be left.
      for (const all of [some, later]) {
        const known = { cluster: { ...s.cluster, pods: somePods, workloads: all } }
        for (const pod of somePods) assert.equal(workloadOf(pod, all), plainWorkloadOf(pod, all))
        for (const workload of all) {
          const plain = somePods.filter((pod) => plainWorkloadOf(pod, all)?.uid === workload.uid)
          assert.deepEqual(podsOf(known, workload), plain)
        }
      }
    }),
  )
})

const ADDRESSES = ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.2', 'FD00::1', '[fd00:0::1]', 'fd00::2', ''] as const
const address = fc.constantFrom(...ADDRESSES)

test('the index of servers agrees with asking each of them whether it belongs to the node', () => {
  const server = fc.tuple(address, fc.constantFrom('web', 'api', 'hidden'))
  fc.assert(
    fc.property(fc.array(server), fc.array(address, { maxLength: 3 }), (listed, internalAddresses) => {
      const servers = listed.map(([at, backend], i) =>
        aServer(`s${i}`, { address: at, ref: { instance: 'lb-1', backend, server: `s${i}` } }),
      )
      const instance = anInstance(servers, { backends: ['web', 'api'] })
      const node = aNode('n1', { internalAddresses })
      assert.deepEqual(
        matchNodeServers(node, [instance]).map(({ reading }) => reading),
        allowedServers(instance).filter((reading) => belongsTo(reading, node)),
      )
    }),
  )
})

test('an index that is handed on to the next list answers for that list', () => {
  const server = fc.tuple(address, fc.constantFrom('ready', 'drain'))
  const lists = fc.tuple(fc.array(server, { maxLength: 6 }), fc.array(server, { maxLength: 6 }), fc.boolean())
  fc.assert(
    fc.property(lists, fc.array(address, { maxLength: 3 }), ([one, other, isMoved], internalAddresses) => {
      const readings = (listed: typeof one) =>
        listed.map(([at, adminState], i) => aServer(`s${i}`, { address: at, adminState, ownState: adminState }))
      const [before, now] = [readings(one), readings(isMoved ? other : one)]
      const node = aNode('n1', { internalAddresses })
      matchNodeServers(node, [anInstance(before)])
      servesNothing({ addresses: internalAddresses }, [anInstance(before)])
      keepIndexes(before, now)
      const instance = anInstance(now)
      const mine = allowedServers(instance).filter((reading) => belongsTo(reading, node))
      assert.deepEqual(
        matchNodeServers(node, [instance]).map(({ reading }) => reading),
        mine,
      )
      assert.equal(
        servesNothing({ addresses: internalAddresses }, [instance]) === 'detached',
        mine.length > 0 && mine.every(({ adminState }) => adminState !== 'ready'),
      )
    }),
  )
})

test('a list is gone through once, however many pods and nodes are asked for', () => {
  let looks = 0
  const looked = <T>(value: T): T => {
    looks += 1
    return value
  }
  const numbers = Array.from({ length: 100 }, (_, i) => i)
  const all = numbers.map(
    (i): Workload => ({
      ...aWorkload(),
      get uid() {
        return looked(`uid-${i}`)
      },
    }),
  )
  const owned = numbers.map((i) =>
    aPod(`p${i}`, 'n1', { controller: { kind: 'ReplicaSet', name: 'x', uid: `uid-${i}` } }),
  )
  const listed = numbers.map((i) => ({
    ...aServer(`s${i}`),
    get address() {
      return looked(`10.0.1.${i}`)
    },
  }))
  const s = aSnapshot()
  const known = { cluster: { ...s.cluster, pods: owned, workloads: all } }
  const podsFound = all.map((workload) => podsOf(known, workload).length)
  const instance = anInstance(listed)
  const serversFound = numbers.map(
    (i) => matchNodeServers(aNode('n1', { internalAddresses: [`10.0.1.${i}`] }), [instance]).length,
  )
  assert.deepEqual([podsFound, serversFound], [numbers.map(() => 1), numbers.map(() => 1)])
  assert.ok(looks < 1000, `${looks} looks at 200 objects`)
})
