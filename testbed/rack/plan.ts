import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
}

/** All that a rack is told when it starts. */
export interface RackPlan {
  readonly name: string
  /** Folder for everything that may be large: disks of nodes, the store of the API, logs. */
  readonly disk: string
  /** Folder with a short path, for sockets. */
  readonly runtime: string
  /** Folder with the built programs. */
  readonly programs: string
  readonly nodes: readonly string[]
  /** What nodes need; undefined in a bed without any. */
  readonly nodeParts?: { readonly imageStore: string; readonly cniFolder: string }
  readonly taints: readonly Taint[]
  /** The control plane runs in static pods on the first nodes; undefined: beside the nodes, as processes of the rack. */
  readonly stacked?: Stacked
  readonly addons: boolean
  /** Kubelets say more often that they live. */
  readonly fast: boolean
  /** A node that is silent for so long is NotReady. */
  readonly monitorGraceSeconds: number
  readonly darkMs: number
}

/** Whether the nodes of a stacked control plane bear the taint that kubeadm gives them. */
export type Stacked = 'tainted' | 'untainted'

/** Fewest nodes whose etcd keeps its quorum without one of them. */
export const stackedNodes = 3

/** Nodes that carry the control plane: the first ones of a stacked bed. */
export function controlPlaneNodes({ stacked, nodes }: Pick<RackPlan, 'stacked' | 'nodes'>): readonly string[] {
  return stacked === undefined ? [] : nodes.slice(0, stackedNodes)
}

export function planPath(disk: string): string {
  return join(disk, 'plan.json')
}

export function readPlan(path: string): RackPlan {
  const plan: RackPlan = JSON.parse(readFileSync(path, 'utf8'))
  return plan
}

/** Where the rack answers its owner. */
export function controlSocket(runtime: string): string {
  return join(runtime, 'control')
}

/** The log of one component of the control plane, or of the rack itself (`rack`). */
export function logPath(disk: string, name: string): string {
  return join(disk, 'log', `${name}.log`)
}

/** What one node keeps over its boots. */
export function nodeDisk(disk: string, node: string): string {
  return join(disk, 'nodes', node)
}

export function nodeLog(disk: string, node: string, name: string): string {
  return join(nodeDisk(disk, node), 'log', `${name}.log`)
}

/** The access log of the API server. */
export function auditLogPath(disk: string): string {
  return join(disk, 'audit.log')
}
