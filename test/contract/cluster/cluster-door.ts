import type { Found } from '../../../testbed/machine/wait-for.ts'
import type { ApiDoor } from '../api/api-door.ts'

interface Wait {
  readonly what: string
  readonly limitMs: number
}

/** A whole cluster, as the contract handles it: its API, the power of its nodes, and time. Its nodes notice within seconds. */
export interface ClusterDoor {
  readonly api: ApiDoor
  readonly nodes: readonly string[]
  /** Of the cluster's own time; only differences mean anything. */
  nowMs(): number
  /** `systemctl reboot`; the command was given when it resolves, the node may be back or not. */
  reboot(node: string): Promise<void>
  /** The power fails for half a second. */
  powerCycle(node: string): Promise<void>
  powerOff(node: string): Promise<void>
  powerOn(node: string): Promise<void>
  /** Writes a file into the folder of static pods of a node; undefined removes it. */
  staticPod(node: string, file: string, manifest: object | undefined): Promise<void>
  /** Lets time pass until the answer is there. */
  waitUntil<T extends Found>(wait: Wait, ask: () => Promise<T | undefined> | T | undefined): Promise<T>
}
