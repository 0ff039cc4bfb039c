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
  /** Of the sandbox that it starts in again, of which the process that ended was removed just now; else a new one. */
  readonly address?: string
}

/** The container of a pod, as its kubelet sees it. */
export interface PodProcess {
  /** The pod's own address, of this start: a sandbox that is made again has another. */
  readonly address: string
  /** What its readiness probe would hear now. */
  isReady(): boolean
  /**
   * Called whenever what `isReady` says may have changed, so that a probe can rest meanwhile; a kubelet asks at every period
   * where a plane cannot tell.
   */
  onReadiness?(run: () => void): void
  /** Where it forwards to from now on. Only for an app that forwards: it is not ready before it was told. */
  setEndpoints?(endpoints: readonly Destination[]): void
  /** SIGTERM: what follows is the app's behaviour. */
  terminate(): void
  /** SIGKILL: its connections are closed by the kernel, at once. */
  kill(): void
  /** Called once when it has ended, however; not where its machine lost its power. */
  onExit(run: (code: number) => void): void
  /** Its sandbox is removed: nothing answers at its address any more. */
  remove(): void
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
  startPod(start: PodStart): PodProcess
  /** From now on, for new connections; those that are open stay where they are, as conntrack has it. */
  setRules(node: string, rules: readonly NodePortRule[]): void
  /** Off: every process of the node is gone without a word, nothing answers at its address, its rules are forgotten. */
  setPower(node: string, isOn: boolean): void
}
