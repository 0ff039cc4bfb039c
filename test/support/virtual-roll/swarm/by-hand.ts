import type { VirtualBalancer } from '../../../../src/sim/balancer/virtual-balancer.ts'
import type { Scene, ServerFact } from '../checkers/scene.ts'
import { type AdminWord, serverKey } from '../checkers/server-word.ts'

/** People set `BACKEND/SERVER` of one instance, which no roll answers for. */
export function setByHand(scene: Scene, { instance, server, to }: Word): void {
  const key = serverKey(instance, server)
  const trackers = scene.servers().flatMap((server) => (server.tracks === key ? [server.key] : []))
  for (const set of [key, ...trackers]) {
    scene.handStates.set(set, to)
    scene.handSetMs.set(set, scene.nowMs)
  }
  balancerOf(scene, instance)?.answer(`set server ${server} state ${to}`)
  scene.onHand()
}

interface Word {
  readonly instance: string
  readonly server: string
  readonly to: AdminWord
}

/** People take the weight of `BACKEND/SERVER` of one instance: it gets no new requests, and its state stays as it is. */
export function takeWeight(scene: Scene, { instance, server }: Place): void {
  scene.weightless.add(serverKey(instance, server))
  balancerOf(scene, instance)?.answer(`set server ${server} weight 0`)
  scene.onHand()
}

/** It has the weight of the file again. */
export function giveWeight(scene: Scene, { instance, server }: Place): void {
  scene.weightless.delete(serverKey(instance, server))
  balancerOf(scene, instance)?.answer(`set server ${server} weight 100%`)
}

type Place = Omit<Word, 'to'>

/** People put a server back that they took out. */
export function putBack(scene: Scene, { instance, backend, node }: ServerFact): void {
  balancerOf(scene, instance)?.answer(`set server ${backend}/${node} state ready`)
}

/** People reload one instance. Without a state file every server of it is ready after that, whatever it was before. */
export function reloadByHand(scene: Scene, { instance, keepsStates }: Reload): void {
  if (!keepsStates) {
    for (const server of scene.servers()) {
      const wasReady = scene.prior.servers.get(server.key) === 'ready'
      if (server.instance === instance && !wasReady) scene.handStates.set(server.key, 'ready')
    }
  }
  scene.reloads.push({ atMs: scene.nowMs, instance })
  balancerOf(scene, instance)?.reload({ keepsStates })
  scene.onHand()
}

interface Reload {
  readonly instance: string
  readonly keepsStates: boolean
}

const balancerOf = ({ cluster }: Scene, name: string): VirtualBalancer | undefined =>
  cluster.instances.find((instance) => instance.name === name)?.balancer
