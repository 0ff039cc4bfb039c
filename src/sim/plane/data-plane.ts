import type { Destination } from '../network/network.ts'
import type { AppBehaviour } from './app-behaviour.ts'

/** What one pod runs. */
export interface PodStart {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly node: string
  /** Where its one container listens. */
  readonly port: number
  readonly app: AppBehaviour
  /** Of its sandbox: nothing runs there, or what ran was removed just now. A new one where it is left out. */
  readonly address?: string
}

/** The process of a container, as its kubelet sees it. */
export interface ContainerProcess {
  /** What its readiness probe would hear now. */
  isReady(): boolean
  /**
   * Called whenever what `isReady` says may have changed, so that a probe can rest meanwhile; a kubelet asks at every period
   * where a plane cannot tell.
   */
  onReadiness?(run: () => void): void
  /** SIGTERM: what follows is the app's behaviour. */
  terminate(): void
  /** SIGKILL: its connections are closed by the kernel, at once. */
  kill(): void
  /** Called once when it has ended, however; not where its machine lost its power. */
  onExit(run: (code: number) => void): void
  /** Its sandbox is removed: nothing answers at its address any more. */
  remove(): void
}

/** The container of a pod that serves. */
export interface PodProcess extends ContainerProcess {
  /** The pod's own address, of this start: a sandbox that is made again has another. */
  readonly address: string
  /** Where it forwards to from now on. Only for an app that forwards: it is not ready before it was told. */
  setEndpoints?(endpoints: readonly Destination[]): void
}

/** A NodePort and what kube-proxy sends to from it; none: it refuses. */
export interface NodePortRule {
  readonly nodePort: number
  readonly endpoints: readonly { readonly host: string; readonly port: number }[]
}

/**
 * What carries the requests of a cluster: in virtual time a model of a network, in real time servers on loopback. Actors
 * tell it what kubelets and kube-proxies would do on a machine.
 */
export interface DataPlane {
  addNode(node: string, address: string): void
  removeNode(node: string): void
  /** Of a sandbox that is made now, in which nothing runs yet. */
  newAddress(node: string): string
  startPod(start: PodStart): PodProcess
  /** From now on, for new connections; those that are open stay where they are, as conntrack has it. */
  setRules(node: string, rules: readonly NodePortRule[]): void
  /** Off: every process of the node is gone without a word, nothing answers at its address, its rules are forgotten. */
  setPower(node: string, isOn: boolean): void
}
