import type { RolloutKind } from '../../../src/demo/ingress/ingress-demo-actions.ts'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import { OP_ANNOTATION, parseOp } from '../../../src/ingress/decide/op.ts'
import { isAvailable } from '../../../src/sim/actors/pod-availability.ts'
import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { DEPLOYMENTS, PODS } from '../../../src/sim/world/api-resource.ts'
import type { Change, Store } from '../../../src/sim/world/store.ts'
import { READY_SECONDS } from './rollout-workloads.ts'

/** A node without any change so far. */
const AT_REST = ['ready', 'done']

type Step = readonly [node: string, step: string]

/** The step of each node of a rollout, as the API shows it. */
export class RolloutProgress {
  readonly #steps = new Map<string, string>()
  readonly #tell: (node: string, step: string) => void
  readonly #store: Store
  readonly #unfollow: () => void

  constructor(kind: RolloutKind, store: Store, tell: (node: string, step: string) => void) {
    this.#store = store
    this.#tell = tell
    this.#unfollow =
      kind === 'DaemonSet'
        ? store.subscribe(PODS, (change) => this.#note(ofPod(change)))
        : store.subscribe(DEPLOYMENTS, (change) => this.#note(ofDeployment(change)))
  }

  /** Nodes that are done. */
  get done(): number {
    return [...this.#steps.values()].filter((step) => step === 'done').length
  }

  /** A node of a DaemonSet is done once its pod has been Ready for `minReadySeconds`: until then no other pod is replaced. */
  read(nowMs: number): void {
    for (const pod of this.#store.all(PODS) as Iterable<PodObject>) {
      const { nodeName = '' } = pod.spec
      if (this.#steps.get(nodeName) === 'ready' && isAvailable(pod, READY_SECONDS, nowMs))
        this.#note([nodeName, 'done'])
    }
  }

  end(): void {
    this.#unfollow()
  }

  #note(found: Step | undefined): void {
    if (found === undefined) return
    const [node, step] = found
    const before = this.#steps.get(node)
    if (before === step || before === 'done' || (before === undefined && AT_REST.includes(step))) return
    // The next pod is replaced at the moment when the one before is available, before that can be read.
    if (before === undefined) for (const [other, last] of this.#steps) if (last === 'ready') this.#set(other, 'done')
    this.#set(node, step)
  }

  #set(node: string, step: string): void {
    this.#steps.set(node, step)
    this.#tell(node, step)
  }
}

function ofPod({ type, object }: Change): Step | undefined {
  const pod = object as PodObject
  const { nodeName } = pod.spec
  if (nodeName === undefined) return undefined
  if (type === 'DELETED') return [nodeName, 'starting']
  if (pod.metadata.deletionTimestamp !== undefined) return [nodeName, 'ending']
  return isReady(pod) ? [nodeName, 'ready'] : undefined
}

/** By the operation in the annotation of the node's Deployment. */
function ofDeployment({ object: { metadata } }: Change): Step | undefined {
  const node = metadata.annotations?.[NODE_ANNOTATION]
  const word = parseOp(metadata.annotations?.[OP_ANNOTATION])
  if (node === undefined || word.kind === 'unreadable') return undefined
  return [node, word.kind === 'op' ? word.op.phase.toLowerCase() : 'done']
}
