import type { PodObject } from '../actors/pod-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'

interface LabelKeys {
  readonly labelSelector?: WrittenSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

/**
 * The selector of a term or constraint, with what it says of the pod's own labels: `matchLabelKeys` means pods with the same
 * values, `mismatchLabelKeys` those with others; a label that the pod does not have says nothing (KEP-3243, KEP-3633).
 */
export function selectorOf(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: LabelKeys,
  { metadata: { labels = {} } }: PodObject,
): WrittenSelector | undefined {
  if (labelSelector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0) return labelSelector
  const requirements = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]))
  return {
    ...labelSelector,
    matchExpressions: [
      ...(labelSelector.matchExpressions ?? []),
      ...requirements(matchLabelKeys, 'In'),
      ...requirements(mismatchLabelKeys, 'NotIn'),
    ],
  }
}
