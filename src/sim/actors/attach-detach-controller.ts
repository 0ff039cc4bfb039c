import { createHash } from 'node:crypto'
import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS, VOLUME_ATTACHMENTS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { type NodeObject, readiness } from './node-object.ts'
import { ObjectIndex } from './object-index.ts'
import { podIndexOf } from './pod-index.ts'
import { claimNames, isFinished, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'
import { type VolumeObject, volumesOf } from './volume-object.ts'

const LAG_MS = 20
/** How long a driver takes to attach a volume, or a kubelet and the driver to release one. */
const DRIVER_MS = 1_000
/**
 * A node that is down cannot report that it unmounted a volume (attach_detach_controller.go,
 * reconcilerMaxWaitForUnmountDuration).
 */
const UNMOUNT_LIMIT_MS = 360_000

interface Attachment extends ApiObject {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } }
  readonly status?: { readonly attached?: boolean }
}

/** Keeps an attachment for every CSI volume on each node that uses it. The returned function ends it. */
export function runAttachDetachController(parts: ActorParts): () => void {
  const { world, timers } = parts
  const attached = new ObjectIndex<Attachment>(world.store, VOLUME_ATTACHMENTS, ({ spec }) => [spec.nodeName])
  const planned = new Map<string, () => void>()
  const plan = (name: string, ms: number, run: () => void): void => {
    if (planned.has(name)) return
    const due = (): void => {
      planned.delete(name)
      run()
    }
    planned.set(name, timers.later(ms, due))
  }
  const release = ({ metadata: { name, uid }, spec }: Attachment): void =>
    plan(`detach ${uid}`, detachMs(world, spec.nodeName), () => {
      const old = world.store.get(VOLUME_ATTACHMENTS, { name }) as Attachment | undefined
      if (old?.metadata.uid !== uid || isUsed(world, old)) return
      deleteObject(world, { resource: VOLUME_ATTACHMENTS, old, options: {} })
    })
  const end = runReconciler(parts, {
    watches: [[PODS, nodesWithVolumes]],
    lagMs: LAG_MS,
    sync: (node) => {
      const known = attached.of(node)
      for (const attachment of known) if (isOurs(attachment) && !isUsed(world, attachment)) release(attachment)
      const missing = usedOn(world, node).filter(({ metadata }) =>
        known.every(({ spec }) => spec.source.persistentVolumeName !== metadata.name),
      )
      for (const volume of missing) {
        const name = attach(world, node, volume)
        plan(`attach ${name}`, DRIVER_MS, () => confirm(world, name))
      }
      return undefined
    },
  })
  return () => {
    end()
    attached.end()
    for (const callOff of planned.values()) callOff()
  }
}

function nodesWithVolumes({ type, object, previous }: Change): readonly string[] {
  const pod = object as PodObject
  const before = previous as PodObject | undefined
  const { nodeName = '' } = pod.spec
  if (nodeName === '' || claimNames(pod).length === 0) return []
  const isUsing = type !== 'DELETED' && !isFinished(pod)
  const wasUsing = before?.spec.nodeName === nodeName && !isFinished(before)
  return isUsing === wasUsing ? [] : [nodeName]
}

/** The drivers' volumes of the pods on a node. */
const usedOn = (world: World, node: string): readonly VolumeObject[] => [
  ...new Set(
    podIndexOf(world)
      .onNode(node)
      .filter((pod) => !isFinished(pod))
      .flatMap((pod) => volumesOf(world, pod))
      .filter(({ spec }) => spec.csi !== undefined),
  ),
]

const isUsed = (world: World, { spec }: Attachment): boolean =>
  usedOn(world, spec.nodeName).some(({ metadata }) => metadata.name === spec.source.persistentVolumeName)

function detachMs(world: World, name: string): number {
  const node = world.store.get(NODES, { name }) as NodeObject | undefined
  return node === undefined || readiness(node) === 'True' ? DRIVER_MS : UNMOUNT_LIMIT_MS
}

/** Attachments of another attacher are left alone. */
const isOurs = ({ metadata }: Attachment): boolean => metadata.name.startsWith('csi-')

/** The name of what it makes (csi_attacher.go, GetAttachmentName). */
function attach(world: World, nodeName: string, { metadata, spec }: VolumeObject): string {
  const { driver = '', volumeHandle = '' } = spec.csi ?? {}
  const name = `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`
  const body = {
    metadata: { name },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: metadata.name } },
  }
  createObject(world, { resource: VOLUME_ATTACHMENTS, body })
  return name
}

/** The driver has done it. */
function confirm(world: World, name: string): void {
  const made = world.store.get(VOLUME_ATTACHMENTS, { name })
  if (made !== undefined) world.store.put(VOLUME_ATTACHMENTS, { ...made, status: { attached: true } })
}
