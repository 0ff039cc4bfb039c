import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import { JOBS, LEASES, NODES, VOLUME_ATTACHMENTS } from '../../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../../src/sim/world/apply-manifest.ts'
import { createObject } from '../../../../src/sim/world/create-object.ts'
import { deleteObject } from '../../../../src/sim/world/delete-object.ts'
import { MAINTENANCE, WITHDRAWN } from '../checkers/claimants.ts'
import type { Scene } from '../checkers/scene.ts'
import type { Fault } from './fault.ts'
import { workFor } from './pods-kind.ts'

export const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
const RECORD = 'evenkeel.dev/record'

export type HandKind = 'nodeAnew' | 'cordon' | 'leaseDeleted' | 'podComes' | 'volumeLeaks'

/** What people do to nodes and to the slot beside a roll, and how they put it back. */
export class HandFaults {
  readonly #scene: Scene

  /** When people switched a machine on last, and how often it had booted by then. */
  readonly #switchedOn = new Map<string, { readonly atMs: number; readonly boots: number }>()

  #made = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** False: there was nothing to do it to. */
  happen(fault: Extract<Fault, { kind: HandKind }>): boolean {
    switch (fault.kind) {
      case 'nodeAnew':
        return this.#deleteNode(fault)
      case 'cordon':
        return this.#cordon(fault.node, fault.to)
      case 'leaseDeleted':
        return this.#deleteLease()
      case 'podComes':
        return this.#beginJob(fault)
      case 'volumeLeaks':
        return this.#leakVolume(fault)
    }
  }

  /** The power of a machine is gone. False: it was off, or on its way down. */
  cutPower(name: string, toMs: number): boolean {
    const machine = this.#scene.cluster.machines.get(name)
    if (machine?.isOn !== true) return false
    machine.powerCut()
    this.#scene.handOutages.push({ node: name, from: this.#scene.nowMs, to: this.#scene.nowMs + toMs })
    return true
  }

  switchOn(name: string): void {
    const scene = this.#scene
    const machine = scene.cluster.machines.get(name)
    if (machine === undefined || machine.isOn) return
    scene.handBoots.set(name, (scene.handBoots.get(name) ?? 0) + 1)
    this.#switchedOn.set(name, { atMs: scene.nowMs, boots: machine.boots })
    machine.powerOn()
  }

  /**
   * A machine that came up wrong is restarted: what it serves all the same is cut. Where it came up so after it had lost its
   * power, no roll can bring back what it carried before this.
   */
  restart(name: string): void {
    const scene = this.#scene
    const machine = scene.cluster.machines.get(name)
    if (machine === undefined) return
    scene.handBoots.set(name, (scene.handBoots.get(name) ?? 0) + 1)
    const on = this.#switchedOn.get(name)
    const isThatBoot = on !== undefined && machine.boots <= on.boots + 1
    scene.handOutages.push({ node: name, from: isThatBoot ? on.atMs : scene.nowMs, to: scene.nowMs })
    machine.reset()
  }

  /** Cordons are as they were before any roll, but on nodes that a roll is at work on. */
  putBackCordons(): void {
    for (const name of this.#scene.handCordons) {
      const node = this.#node(name)
      const isPrior = this.#scene.prior.nodes.get(name)?.spec?.unschedulable === true
      if (node === undefined || node.metadata.annotations?.[RECORD] !== undefined) continue
      if ((node.spec?.unschedulable === true) !== isPrior) this.#setCordon(node, isPrior)
    }
  }

  /**
   * An agent keeps the request of a roll whose record went with the Node. People withdraw it once that roll is over, or while
   * none of its processes runs (`isBetween`), as the agent asks them to, and take their word off when the server is back.
   */
  withdrawKeptRequests(isBetween = false): void {
    const scene = this.#scene
    for (const name of scene.registeredAnew) {
      const node = this.#node(name)
      const annotations = node?.metadata.annotations ?? {}
      if (node === undefined || annotations[RECORD] !== undefined) continue
      const isOut = scene.servers().some((server) => server.node === name && server.by === 'agent' && !server.isUsable)
      const isWithdrawn = isOut && (isBetween || scene.isFirstRollOver) && annotations[MAINTENANCE] === undefined
      if (isWithdrawn) this.#sayOnMaintenance(node, WITHDRAWN)
      if (!isOut && annotations[MAINTENANCE] === WITHDRAWN) this.#sayOnMaintenance(node, undefined)
    }
  }

  #sayOnMaintenance(node: NodeObject, word: typeof WITHDRAWN | undefined): void {
    const { [MAINTENANCE]: _, ...others } = node.metadata.annotations ?? {}
    const annotations = word === undefined ? others : { ...others, [MAINTENANCE]: word }
    this.#scene.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }

  #node(name: string): NodeObject | undefined {
    return this.#scene.cluster.world.store.get(NODES, { name }) as NodeObject | undefined
  }

  #cordon(name: string, to: boolean): boolean {
    const node = this.#node(name)
    if (node === undefined || (node.spec?.unschedulable === true) === to) return false
    this.#scene.handCordons.add(name)
    this.#scene.cordonsMs.push(this.#scene.nowMs)
    this.#setCordon(node, to)
    return true
  }

  #setCordon(node: NodeObject, to: boolean): void {
    const { unschedulable: _, ...spec } = node.spec ?? {}
    this.#scene.cluster.world.store.put(NODES, { ...node, spec: to ? { ...spec, unschedulable: true } : spec })
  }

  #deleteLease(): boolean {
    if (this.#scene.cluster.world.store.remove(LEASES, SLOT) === undefined) return false
    this.#scene.leaseDeletionsMs.push(this.#scene.nowMs)
    return true
  }

  /** Its pods are made anew where they are evicted, until people delete it with them. */
  #beginJob({ node, fromMs, toMs }: Extract<Fault, { kind: 'podComes' }>): boolean {
    const { world, time } = this.#scene.cluster
    if (this.#node(node) === undefined) return false
    const name = this.#newName('job')
    applyManifest(world, jobOn(name, node))
    time.later(toMs - fromMs, () => {
      const job = world.store.get(JOBS, { namespace: 'default', name })
      const options = { propagation: 'Background' } as const
      if (job !== undefined) deleteObject(world, { resource: JOBS, old: job, options })
    })
    return true
  }

  /** It is to go, and its driver does not say that it is detached. */
  #leakVolume({ node, fromMs, toMs }: Extract<Fault, { kind: 'volumeLeaks' }>): boolean {
    const { world, time } = this.#scene.cluster
    if (this.#node(node) === undefined) return false
    const name = this.#newName('leaked')
    const metadata = { name, finalizers: ['external-attacher/test-local'] }
    const spec = { attacher: 'test.local', nodeName: node, source: { persistentVolumeName: name } }
    createObject(world, { resource: VOLUME_ATTACHMENTS, body: { metadata, spec, status: { attached: true } } })
    time.later(toMs - fromMs, () => world.store.remove(VOLUME_ATTACHMENTS, { name }))
    return true
  }

  #newName(what: string): string {
    this.#made += 1
    return `${what}-${this.#made}`
  }

  /** The machine registers again by the labels and annotations that it had before any roll, and not cordoned. */
  #deleteNode({ node: name, againMs }: Extract<Fault, { kind: 'nodeAnew' }>): boolean {
    const { world, time } = this.#scene.cluster
    const gone = world.store.remove(NODES, { name }) as NodeObject | undefined
    if (gone === undefined) return false
    const { labels, annotations } = this.#scene.prior.nodes.get(name)?.metadata ?? {}
    this.#scene.handCordons.add(name)
    this.#scene.registeredAnew.add(name)
    this.#scene.cordonsMs.push(this.#scene.nowMs, this.#scene.nowMs + againMs)
    this.#scene.handOutages.push({ node: name, from: this.#scene.nowMs, to: this.#scene.nowMs + againMs })
    time.later(againMs, () => {
      if (this.#node(name) !== undefined) return
      const conditions = gone.status?.conditions?.filter(({ type }) => type !== 'Ready') ?? []
      const metadata = { name, labels, ...(annotations === undefined ? {} : { annotations }) }
      createObject(world, { resource: NODES, body: { metadata, spec: {}, status: { ...gone.status, conditions } } })
    })
    return true
  }
}

/** One that works for a few seconds, on that node alone, which a cordon does not keep away. */
const jobOn = (name: string, node: string): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default' },
  spec: {
    backoffLimit: 1_000,
    template: {
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { 'kubernetes.io/hostname': node },
        containers: [workFor(JOB_SECONDS)],
      },
    },
  },
})

const JOB_SECONDS = 3
