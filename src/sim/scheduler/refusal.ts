import type { NodeObject } from '../actors/node-object.ts'

/** The plugins of the scheduler that can refuse a node, in the order in which they are asked (default_plugins.go). */
export type Plugin =
  | 'NodeUnschedulable'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'VolumeBinding'
  | 'PodTopologySpread'
  | 'InterPodAffinity'

/** Why a node does not take a pod. */
export interface Refusal {
  readonly plugin: Plugin
  /** In the words of the plugin; NodeResourcesFit gives one for each resource. */
  readonly reasons: readonly string[]
  /** No pod that left the node would change it (`UnschedulableAndUnresolvable`). */
  readonly isFinal: boolean
}

/** What one plugin says of a node for one pod; undefined: the node may take it. */
export type NodeRule = (node: NodeObject) => Refusal | undefined

/** Only the departure of a pod could change it. */
export const refusal = (plugin: Plugin, reason: string): Refusal => ({ plugin, reasons: [reason], isFinal: false })

export const finalRefusal = (plugin: Plugin, reason: string): Refusal => ({ plugin, reasons: [reason], isFinal: true })
