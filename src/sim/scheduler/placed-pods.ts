import { podIndexOf } from '../actors/pod-index.ts'
import type { PodObject } from '../actors/pod-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'
import { labelTest } from '../world/label-selector.ts'
import type { World } from '../world/world.ts'
import { nodeUsageOf, takesRoom, type Usage } from './node-usage.ts'
import { add, requestsOf } from './pod-requests.ts'

/** The pods that have a node and have not finished: what a search goes by. */
export interface PlacedPods {
  onNode(node: string): readonly PodObject[]
  usageOf(node: string): Usage
  matching(namespace: string, selector: WrittenSelector | undefined): readonly PodObject[]
  withAntiAffinity(): readonly PodObject[]
  /** Absent: they are as they are now. */
  readonly change?: Change & { readonly of: PlacedPods }
}

/** As they are now. */
export function placedPods(world: World): PlacedPods {
  const index = podIndexOf(world)
  const usage = nodeUsageOf(world)
  return {
    onNode: (node) => index.onNode(node).filter(takesRoom),
    usageOf: (node) => usage.of(node),
    matching: (namespace, selector) => index.matching(namespace, selector).filter(takesRoom),
    withAntiAffinity: () => index.placedWithAntiAffinity().filter(takesRoom),
  }
}

interface Change {
  /** These would be gone. */
  readonly without?: ReadonlySet<PodObject>
  /** These would be on the node that they name. */
  readonly beside?: readonly PodObject[]
}

/** As they would be after a change that has not happened: for a preemption, or with the pods that a node is kept for. */
export function placedAfter(placed: PlacedPods, { without = new Set(), beside = [] }: Change): PlacedPods {
  const after = (pods: readonly PodObject[], more: readonly PodObject[]): readonly PodObject[] => [
    ...pods.filter((pod) => !without.has(pod)),
    ...more,
  ]
  return {
    change: { of: placed, without, beside },
    onNode: (node) =>
      after(
        placed.onNode(node),
        beside.filter(({ spec }) => spec.nodeName === node),
      ),
    usageOf: (node) => {
      const { pods, amounts } = placed.usageOf(node)
      const gone = [...without].filter(({ spec }) => spec.nodeName === node)
      const come = beside.filter(({ spec }) => spec.nodeName === node)
      const sum = new Map(amounts)
      for (const { spec } of gone) add(sum, requestsOf(spec), -1)
      for (const { spec } of come) add(sum, requestsOf(spec))
      return { pods: pods - gone.length + come.length, amounts: sum }
    },
    matching: (namespace, selector) => {
      const isSelected = labelTest(selector)
      return after(
        placed.matching(namespace, selector),
        beside.filter(({ metadata }) => metadata.namespace === namespace && isSelected(metadata.labels)),
      )
    },
    withAntiAffinity: () =>
      after(
        placed.withAntiAffinity(),
        beside.filter(({ spec }) => spec.affinity?.podAntiAffinity !== undefined),
      ),
  }
}
