import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import { controllerOf, isReady, type PodObject } from '../../../../src/sim/actors/pod-object.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import type { EngineRequest } from '../engine-request.ts'
import type { Checker } from './checker.ts'
import type { Scene, ServerFact } from './scene.ts'

const NAME = 'no-attach-before-proof'
/** A static pod is made anew within this. */
const MEMBER_BACK_MS = 10_000

/**
 * A server is set ready only where its machine runs on another boot than the one that was to end, the node can carry pods
 * again, its static pods and its DaemonSets' pods run anew, and its port answers. Of a node that was ill when it was recorded nothing is asked
 * that it could not do then. A member of etcd that people take off it after its reboot was back before.
 */
export function noAttachBeforeProof(scene: Scene): Checker {
  /** Per node whose reboot was asked for: when, and containers that ran then. */
  const rebooted = new Map<string, { readonly atMs: number; readonly containers: ReadonlySet<string> }>()
  /** Per node: the DaemonSets and static pods that were Ready, and the servers that were sent to, when it was recorded. */
  const wellBefore = new Map<string, { readonly daemons: ReadonlySet<string>; readonly servers: ReadonlySet<string> }>()
  const checkPort = ({ key, node, address, port }: ServerFact, what: string): void => {
    if (wellBefore.get(node)?.servers.has(key) === false) return
    scene.cluster.network.dial({ host: address, port }, (dialled) => {
      if (dialled.kind === 'open') dialled.connection.close()
      else if (!scene.wasOutAt(scene.nowMs) && !isOneBeside(node))
        scene.tell(NAME, `${what} nothing answers at its port`)
    })
  }
  /** Another lane reboots a machine: a port of this one may lead to a pod that went down there. */
  const isOneBeside = (node: string): boolean =>
    scene.mostOut > 1 && [...scene.cluster.machines.all()].some(({ name }) => name !== node && scene.isAnnounced(name))
  /** People take it after the reboot, or have it back for so short that it does not run anew yet. */
  const isTaken = ({ metadata, spec }: PodObject, sinceMs: number): boolean =>
    metadata.labels?.component === 'etcd' &&
    scene.handMembers.some(
      ({ node, from, to }) => node === spec.nodeName && from >= sinceMs && scene.nowMs <= to + MEMBER_BACK_MS,
    )
  const check = (server: ServerFact): void => {
    const what = `${server.key} was set ready, and`
    const node = scene.cluster.world.store.get(NODES, { name: server.node })
    const intent = bootIdIn(node?.metadata.annotations?.['evenkeel.dev/intent'])
    const machine = scene.cluster.machines.get(server.node)
    if (machine?.isOn !== true) scene.tell(NAME, `${what} ${server.node} does not run`)
    if (intent !== undefined && machine?.bootId === intent)
      scene.tell(NAME, `${what} ${server.node} was not rebooted yet`)
    const before = rebooted.get(server.node)
    const well = wellBefore.get(server.node)
    if (before !== undefined && intent !== undefined)
      for (const pod of notBack(scene, server.node, before.containers))
        if (well?.daemons.has(daemonOf(pod)) !== false && !isTaken(pod, before.atMs))
          scene.tell(NAME, `${what} ${pod.metadata.name} is not back`)
    const isOurs = isCordoned(node as NodeObject | undefined) && !isCordoned(scene.prior.nodes.get(server.node))
    // A node that people cordoned before it was begun stays cordoned.
    if (isOurs && !scene.handCordons.has(server.node)) scene.tell(NAME, `${what} ${server.node} is still cordoned`)
    checkPort(server, what)
  }
  return {
    onAsked: ({ request }) => {
      const recorded = recordedNode(request)
      if (recorded !== undefined) wellBefore.set(recorded, wellOn(scene, recorded))
      if (request.kind === 'reboot')
        rebooted.set(request.node, { atMs: scene.nowMs, containers: containersOn(scene, request.node) })
      if (request.kind === 'reboot') return
      const ready = new Set(scene.words(request).flatMap(({ key, to }) => (to === 'ready' ? [key] : [])))
      for (const server of scene.servers()) if (ready.has(server.key)) check(server)
    },
  }
}

const isCordoned = (node: NodeObject | undefined): boolean => node?.spec?.unschedulable === true

/** Of its DaemonSets, and static ones. */
const notBack = (scene: Scene, node: string, before: ReadonlySet<string>): readonly PodObject[] =>
  scene
    .pods()
    .filter((pod) => pod.spec.nodeName === node && ['DaemonSet', 'Node'].includes(controllerOf(pod)?.kind ?? ''))
    .filter((pod) => {
      const ids = pod.status?.containerStatuses ?? []
      return !isReady(pod) || ids.some(({ containerID }) => before.has(containerID))
    })

/** The Node owns the mirrors of its static pods. */
function daemonOf(pod: PodObject): string {
  const owner = controllerOf(pod)
  return owner?.kind === 'Node' ? pod.metadata.name : (owner?.name ?? '')
}

const wellOn = (scene: Scene, node: string) => ({
  daemons: new Set(
    scene
      .pods()
      .filter((pod) => pod.spec.nodeName === node && isReady(pod))
      .map(daemonOf),
  ),
  servers: new Set(
    scene
      .servers()
      .filter((server) => server.node === node && server.isUsable)
      .map(({ key }) => key),
  ),
})

/** Whose record is written now. */
export const recordedNode = (request: EngineRequest): string | undefined => nodeGiven(request, RECORD_PATH)

/** The node whose reboot is announced by this request. */
export const announcedNode = (request: EngineRequest): string | undefined => nodeGiven(request, INTENT_PATH)

function nodeGiven(request: EngineRequest, annotation: string): string | undefined {
  if (request.kind !== 'api' || request.request.method !== 'PATCH' || !Array.isArray(request.request.body)) return
  const ops = request.request.body as readonly { readonly op: string; readonly path: string }[]
  const isGiven = ops.some(({ op, path }) => op === 'add' && path === annotation)
  return isGiven ? request.request.path.slice(request.request.path.lastIndexOf('/') + 1) : undefined
}

const RECORD_PATH = '/metadata/annotations/evenkeel.dev~1record'
const INTENT_PATH = '/metadata/annotations/evenkeel.dev~1intent'

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
