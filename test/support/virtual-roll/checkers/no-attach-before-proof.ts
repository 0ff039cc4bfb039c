import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import { controllerOf, isReady } from '../../../../src/sim/actors/pod-object.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Scene, ServerFact } from './scene.ts'

const NAME = 'no-attach-before-proof'

/**
 * A server is set ready only where its machine runs on another boot than the one that was to end, the node can carry pods
 * again, its DaemonSets' pods run anew, and its port answers.
 */
export function noAttachBeforeProof(scene: Scene): Checker {
  /** Per node whose reboot was asked for: containers that ran then. */
  const containersBefore = new Map<string, ReadonlySet<string>>()
  const check = (server: ServerFact): void => {
    const what = `${server.key} was set ready, and`
    const node = scene.cluster.world.store.get(NODES, { name: server.node })
    const intent = bootIdIn(node?.metadata.annotations?.['evenkeel.dev/intent'])
    const machine = scene.cluster.machines.get(server.node)
    if (machine?.isOn !== true) scene.tell(NAME, `${what} ${server.node} does not run`)
    if (intent !== undefined && machine?.bootId === intent)
      scene.tell(NAME, `${what} ${server.node} was not rebooted yet`)
    const before = containersBefore.get(server.node)
    if (before !== undefined && intent !== undefined)
      for (const pod of notBack(scene, server.node, before)) scene.tell(NAME, `${what} ${pod} is not back`)
    const isOurs = isCordoned(node as NodeObject | undefined) && !isCordoned(scene.prior.nodes.get(server.node))
    // One that people cordoned before it was begun stays so.
    if (isOurs && !scene.handCordons.has(server.node)) scene.tell(NAME, `${what} ${server.node} is still cordoned`)
    scene.cluster.network.dial({ host: server.address, port: server.port }, (dialled) => {
      if (dialled.kind === 'open') dialled.connection.close()
      else if (!scene.wasOutAt(scene.nowMs)) scene.tell(NAME, `${what} nothing answers at its port`)
    })
  }
  return {
    onAsked: ({ request }) => {
      if (request.kind === 'reboot') containersBefore.set(request.node, containersOn(scene, request.node))
      if (request.kind === 'reboot') return
      const ready = new Set(scene.words(request).flatMap(({ key, to }) => (to === 'ready' ? [key] : [])))
      for (const server of scene.servers()) if (ready.has(server.key)) check(server)
    },
  }
}

const isCordoned = (node: NodeObject | undefined): boolean => node?.spec?.unschedulable === true

/** Of its DaemonSets. */
const notBack = (scene: Scene, node: string, before: ReadonlySet<string>): readonly string[] =>
  scene
    .pods()
    .filter((pod) => pod.spec.nodeName === node && controllerOf(pod)?.kind === 'DaemonSet')
    .filter((pod) => {
      const ids = pod.status?.containerStatuses ?? []
      return !isReady(pod) || ids.some(({ containerID }) => before.has(containerID))
    })
    .map(({ metadata }) => metadata.name)

const bootIdIn = (intent: string | undefined): string | undefined =>
  intent === undefined ? undefined : (JSON.parse(intent) as { bootId?: string }).bootId

const containersOn = (scene: Scene, node: string): ReadonlySet<string> =>
  new Set(
    scene
      .pods()
      .filter((pod) => pod.spec.nodeName === node)
      .flatMap((pod) => pod.status?.containerStatuses ?? [])
      .map(({ containerID }) => containerID),
  )
