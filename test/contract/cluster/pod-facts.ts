import type { SeenCondition, SeenPod } from './seen-objects.ts'

type Conditioned = { readonly status: { readonly conditions?: readonly SeenCondition[] } }

export const condition = ({ status }: Conditioned, type: string): SeenCondition | undefined =>
  status.conditions?.find((each) => each.type === type)

export const isReady = (object: Conditioned): boolean => condition(object, 'Ready')?.status === 'True'

export const isGoing = ({ metadata }: SeenPod): boolean => metadata.deletionTimestamp !== undefined

export const restarts = ({ status }: SeenPod): number => status.containerStatuses?.[0]?.restartCount ?? 0

export const containerId = ({ status }: SeenPod): string => status.containerStatuses?.[0]?.containerID ?? ''

export const isOf = ({ metadata }: SeenPod, kind: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.kind === kind) === true
