import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS, VOLUME_ATTACHMENTS, VOLUMES } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { attachmentName, isAttachable, isForManyNodes, uniqueName } from './csi-volume.ts'
import { type NodeObject, readiness } from './node-object.ts'
import { ObjectIndex } from './object-index.ts'
import { podIndexOf } from './pod-index.ts'
import { claimNames, isFinished, type PodObject } from './pod-object.ts'
import { recordEvent } from './record-event.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { type VolumeObject, volumesOf } from './volume-object.ts'

const LAG_MS = 20
/** How long a driver takes to attach a volume, or to release one. */
const DRIVER_MS = 1_000
/** A node that is down cannot say that it unmounted a volume (attach_detach_controller.go, ReconcilerMaxWaitForUnmountDuration). */
const UNMOUNT_LIMIT_MS = 360_000
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

interface Attachment extends ApiObject {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } }
  readonly status?: { readonly attached?: boolean }
}

/** Keeps an attachment for every CSI volume on each node that uses it. The returned function ends it. */
export function runAttachDetachController(parts: ActorParts): () => void {
  const keeper = new AttachmentKeeper(parts)
  const end = runReconciler(parts, {
    watches: [
      [PODS, nodesWithVolumes],
      [NODES, (change) => keeper.changedNode(change)],
      [VOLUME_ATTACHMENTS, ({ type, object }) => (type === 'DELETED' ? keeper.released(object as Attachment) : [])],
    ],
    lagMs: LAG_MS,
    sync: (node) => keeper.sync(node),
  })
  return () => {
    end()
    keeper.end()
  }
}

/** pkg/controller/volume/attachdetach/reconciler/reconciler.go. */
class AttachmentKeeper {
  readonly #world: World
  readonly #timers: ActorParts['timers']
  readonly #attached: ObjectIndex<Attachment>
  readonly #planned = new Map<string, () => void>()
  /** By node, what its kubelet said last that it has mounted; also of nodes that are gone. */
  readonly #inUse = new Map<string, readonly string[]>()
  /** By uid of the attachment, since when no pod on its node uses it. */
  readonly #unusedSinceMs = new Map<string, number>()
  /** By volume, nodes that wait until another one has released it. */
  readonly #waiting = new Map<string, Set<string>>()

  constructor({ world, timers }: ActorParts) {
    this.#world = world
    this.#timers = timers
    this.#attached = new ObjectIndex<Attachment>(world.store, VOLUME_ATTACHMENTS, ({ spec }) => [
      onNode(spec.nodeName),
      ofVolume(spec.source.persistentVolumeName ?? ''),
    ])
  }

  end(): void {
    this.#attached.end()
    for (const callOff of this.#planned.values()) callOff()
  }

  changedNode({ type, object, previous }: Change): readonly string[] {
    const [node, before] = [object as NodeObject, previous as NodeObject | undefined]
    const { name } = node.metadata
    const { volumesInUse = [] } = node.status ?? {}
    const was = this.#inUse.get(name) ?? []
    if (type !== 'DELETED') this.#inUse.set(name, volumesInUse)
    if (this.#attached.count(onNode(name)) === 0) return []
    const isLess = was.some((volume) => !volumesInUse.includes(volume))
    const isOther = before === undefined || readiness(node) !== readiness(before) || node.spec !== before.spec
    return isLess || isOther ? [name] : []
  }

  released({ metadata, spec }: Attachment): readonly string[] {
    this.#unusedSinceMs.delete(metadata.uid)
    return [...(this.#waiting.get(spec.source.persistentVolumeName ?? '') ?? [])]
  }

  sync(node: string): number | undefined {
    const used = usedOn(this.#world, node)
    const known = this.#attached.of(onNode(node))
    const waits = known.flatMap((attachment) => this.#settle(attachment) ?? [])
    const missing = used.filter(({ metadata }) => known.every((each) => volumeOf(each) !== metadata.name))
    for (const volume of missing) this.#attach(node, volume)
    return waits.length === 0 ? undefined : Math.min(...waits)
  }

  /** Releases what no pod uses, unless its kubelet still has it; when to look again. */
  #settle(attachment: Attachment): number | undefined {
    const { uid } = attachment.metadata
    // Attachments of another attacher are left alone.
    if (!attachment.metadata.name.startsWith('csi-')) return undefined
    if (isUsed(this.#world, attachment)) {
      this.#unusedSinceMs.delete(uid)
      return undefined
    }
    const nowMs = this.#world.clock.wallMs()
    const sinceMs = this.#unusedSinceMs.get(uid) ?? nowMs
    this.#unusedSinceMs.set(uid, sinceMs)
    const leftMs = UNMOUNT_LIMIT_MS - (nowMs - sinceMs)
    const node = this.#world.store.get(NODES, { name: attachment.spec.nodeName }) as NodeObject | undefined
    const isOut = node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true
    if (!isOut && this.#isMounted(attachment)) {
      if (leftMs > 0) return leftMs
      // It is taken from a node that is down alone; one that is Ready says by itself when it has unmounted it.
      if (node !== undefined && readiness(node) === 'True') return undefined
    }
    this.#plan(`detach ${uid}`, DRIVER_MS, () => this.#detach(attachment))
    return undefined
  }

  #isMounted(attachment: Attachment): boolean {
    const volume = this.#attachedVolume(attachment)
    const inUse = this.#inUse.get(attachment.spec.nodeName) ?? []
    return volume !== undefined && inUse.includes(uniqueName(volume))
  }

  #attachedVolume(attachment: Attachment): VolumeObject | undefined {
    return this.#world.store.get(VOLUMES, { name: volumeOf(attachment) }) as VolumeObject | undefined
  }

  #detach({ metadata: { name, uid } }: Attachment): void {
    const old = this.#world.store.get(VOLUME_ATTACHMENTS, { name }) as Attachment | undefined
    if (old?.metadata.uid !== uid || isUsed(this.#world, old)) return
    deleteObject(this.#world, { resource: VOLUME_ATTACHMENTS, old, options: {} })
  }

  #attach(node: string, volume: VolumeObject): void {
    const { name } = volume.metadata
    const elsewhere = this.#attached.of(ofVolume(name)).filter(({ spec }) => spec.nodeName !== node)
    if (!isForManyNodes(volume) && elsewhere.length > 0) {
      this.#refuse({ node, volume, elsewhere })
      return
    }
    this.#waiting.get(name)?.delete(node)
    const made = attachmentName(volume, node)
    const spec = { attacher: volume.spec.csi?.driver ?? '', nodeName: node, source: { persistentVolumeName: name } }
    createObject(this.#world, { resource: VOLUME_ATTACHMENTS, body: { metadata: { name: made }, spec } })
    this.#plan(`attach ${made}`, DRIVER_MS, () => confirm(this.#world, made))
  }

  /** Said once to each pod that waits (reportMultiAttachError). */
  #refuse({ node, volume, elsewhere }: Refusal): void {
    const { name } = volume.metadata
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting)
    if (waiting.has(node)) return
    waiting.add(node)
    const users = elsewhere.flatMap(({ spec }) => usersOf(this.#world, spec.nodeName, volume))
    for (const pod of usersOf(this.#world, node, volume)) {
      recordEvent(this.#world, {
        about: pod,
        component: 'attachdetach-controller',
        type: 'Warning',
        reason: 'FailedAttachVolume',
        message: `Multi-Attach error for volume "${name}" ${heldText(users, pod)}`,
      })
    }
  }

  #plan(name: string, ms: number, run: () => void): void {
    if (this.#planned.has(name)) return
    const due = (): void => {
      this.#planned.delete(name)
      run()
    }
    this.#planned.set(name, this.#timers.later(ms, due))
  }
}

interface Refusal {
  readonly node: string
  readonly volume: VolumeObject
  readonly elsewhere: readonly Attachment[]
}

function heldText(users: readonly PodObject[], pod: PodObject): string {
  const isNear = ({ metadata }: PodObject): boolean => metadata.namespace === pod.metadata.namespace
  const near = users.filter(isNear).map(({ metadata }) => metadata.name)
  const far = users.length - near.length
  if (users.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another"
  if (near.length === 0) return `Volume is already used by ${far} pod(s) in different namespaces`
  const others = far === 0 ? '' : ` and ${far} pod(s) in different namespaces`
  return `Volume is already used by pod(s) ${near.join(', ')}${others}`
}

const onNode = (name: string): string => `node ${name}`

const ofVolume = (name: string): string => `volume ${name}`

const volumeOf = ({ spec }: Attachment): string => spec.source.persistentVolumeName ?? ''

function nodesWithVolumes({ type, object, previous }: Change): readonly string[] {
  const pod = object as PodObject
  const before = previous as PodObject | undefined
  const { nodeName = '' } = pod.spec
  if (nodeName === '' || claimNames(pod).length === 0) return []
  const isUsing = type !== 'DELETED' && !isFinished(pod)
  const wasUsing = before?.spec.nodeName === nodeName && !isFinished(before)
  return isUsing === wasUsing ? [] : [nodeName]
}

const users = (world: World, node: string): readonly PodObject[] =>
  podIndexOf(world)
    .onNode(node)
    .filter((pod) => !isFinished(pod))

/** The drivers' volumes of the pods on a node. */
const usedOn = (world: World, node: string): readonly VolumeObject[] => [
  ...new Set(
    users(world, node)
      .flatMap((pod) => volumesOf(world, pod))
      .filter(isAttachable),
  ),
]

const usersOf = (world: World, node: string, { metadata }: VolumeObject): readonly PodObject[] =>
  users(world, node).filter((pod) => volumesOf(world, pod).some((volume) => volume.metadata.name === metadata.name))

const isUsed = (world: World, attachment: Attachment): boolean =>
  usedOn(world, attachment.spec.nodeName).some(({ metadata }) => metadata.name === volumeOf(attachment))

/** The driver has done it. */
function confirm(world: World, name: string): void {
  const made = world.store.get(VOLUME_ATTACHMENTS, { name })
  if (made !== undefined) world.store.put(VOLUME_ATTACHMENTS, { ...made, status: { attached: true } })
}
