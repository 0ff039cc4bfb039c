import type { ContainerProcess } from '../plane/data-plane.ts'
import type { ContainerSpec, NodePod } from './node-pod.ts'

/** Starts the program of an image that is no app, for a container of a pod. */
type ImageProgram = (pod: NodePod, container: ContainerSpec) => ContainerProcess

/** What pods are made of, and what of it each node has. A node keeps on its disk what it has pulled. */
export class ImageRegistry {
  readonly #pulled = new Map<string, Set<string>>()
  readonly #missing = new Set<string>()
  readonly #programs = new Map<string, ImageProgram>()
  /** No image can be pulled from it. */
  isDown = false

  /** Neither the registry nor a node that has not pulled it has it. */
  lose(image: string): void {
    this.#missing.add(image)
  }

  /** What containers of this image run. */
  give(image: string, program: ImageProgram): void {
    this.#programs.set(image, program)
  }

  /** Undefined: it is an app, or does what its command says. */
  programOf({ image = '' }: ContainerSpec): ImageProgram | undefined {
    return this.#programs.get(image)
  }

  /** Undefined: the node has it now. Else the reason of the kubelet (pkg/kubelet/images/types.go). */
  take(node: string, { image, imagePullPolicy }: ContainerSpec): 'ErrImagePull' | 'ErrImageNeverPull' | undefined {
    if (image === undefined) return undefined
    const here = this.#pulled.get(node) ?? new Set()
    this.#pulled.set(node, here)
    if (here.has(image) && imagePullPolicy !== 'Always') return undefined
    // What is never pulled was loaded on each node when it was made.
    if (imagePullPolicy === 'Never') return this.#missing.has(image) ? 'ErrImageNeverPull' : undefined
    if (this.isDown || this.#missing.has(image)) return 'ErrImagePull'
    here.add(image)
    return undefined
  }
}
